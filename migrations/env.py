"""Runs migrations on the connection that `app.db.migrate` hands over, or on the configured database for `alembic …`."""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection

from app.db.engine import make_engine
from app.db.migrate import locked
from app.db.tables import metadata


def run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        compare_type=True,
        transactional_ddl=True,  # on SQLite too: we emit BEGIN ourselves
    )
    with context.begin_transaction():
        context.run_migrations()


handed_over = context.config.attributes.get("connection")
if handed_over is not None:
    run(handed_over)
else:
    from app.settings import Settings

    with locked(make_engine(Settings().database_url)) as own:
        run(own)
