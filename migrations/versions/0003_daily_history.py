"""Daily history: the link from day to day, a provider's lows, and points found by their moment

Revision ID: 0003
Revises: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("accelerator_day") as table:
        table.add_column(sa.Column("flagged", sa.Integer(), nullable=False, server_default="0"))
        table.add_column(sa.Column("backfilled", sa.Boolean(), nullable=False, server_default=sa.false()))
        table.add_column(sa.Column("since", sa.Date()))
        table.add_column(sa.Column("log_change", sa.Double()))
        table.add_column(sa.Column("matched", sa.Integer(), nullable=False, server_default="0"))
        table.add_column(sa.Column("matched_providers", sa.Integer(), nullable=False, server_default="0"))
    op.create_table(
        "provider_day",
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("accelerator", sa.Text(), nullable=False),
        sa.Column("purchase_option", sa.String(length=16), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("low_usd", sa.Double(), nullable=False),
        sa.Column("offers", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint(
            "provider", "accelerator", "purchase_option", "day", name=op.f("pk_provider_day")
        ),
        comment="Per accelerator-hour: a provider's lowest unflagged price of a day",
    )
    op.create_index(op.f("ix_accelerator_day_day"), "accelerator_day", ["day"], unique=False)
    op.create_index(op.f("ix_provider_day_day"), "provider_day", ["day"], unique=False)
    op.create_index(op.f("ix_price_point_at"), "price_point", ["at"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_price_point_at"), table_name="price_point")
    op.drop_index(op.f("ix_accelerator_day_day"), table_name="accelerator_day")
    op.drop_table("provider_day")
    with op.batch_alter_table("accelerator_day") as table:
        for name in ("matched_providers", "matched", "log_change", "since", "backfilled", "flagged"):
            table.drop_column(name)
