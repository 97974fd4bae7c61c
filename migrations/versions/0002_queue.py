"""The task queue of the workers, on PostgreSQL only, in a schema of its own

The tables are procrastinate's (locked version); a later version of it brings its own changes as a new revision here.

Revision ID: 0002
Revises: 0001
"""

from alembic import op
from procrastinate.schema import SchemaManager

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":
        return
    connection.exec_driver_sql("CREATE SCHEMA queue")
    connection.exec_driver_sql("SET LOCAL search_path TO queue")
    driver = connection.connection.driver_connection
    driver.execute(SchemaManager.get_schema())  # many statements at once, which only the driver itself can send
    connection.exec_driver_sql("SET LOCAL search_path TO DEFAULT")


def downgrade() -> None:
    connection = op.get_bind()
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("DROP SCHEMA queue CASCADE")
