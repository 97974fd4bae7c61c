"""Offers, their history, runs, rejects, holds, rates

Revision ID: 0001
Revises:
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True)
MONEY = sa.Numeric(18, 8).with_variant(sa.Double(), "sqlite")
RATE = sa.Numeric(18, 12).with_variant(sa.Double(), "sqlite")
SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "accelerator_day",
        sa.Column("accelerator", sa.Text(), nullable=False),
        sa.Column("purchase_option", sa.String(length=16), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("low_usd", sa.Double(), nullable=False),
        sa.Column("median_usd", sa.Double(), nullable=False),
        sa.Column("offers", sa.Integer(), nullable=False),
        sa.Column("providers", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("accelerator", "purchase_option", "day", name=op.f("pk_accelerator_day")),
        comment="Per accelerator-hour: the lowest unflagged price and the median of the providers' medians",
    )
    op.create_table(
        "board_version",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_board_version")),
        comment="One row, raised as the last act of every transaction that changes what the board shows",
    )
    op.create_table(
        "exchange_rate",
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("usd_per_unit", RATE, nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("currency", "day", name=op.f("pk_exchange_rate")),
    )
    op.create_table(
        "host_pace",
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("next_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("host", name=op.f("pk_host_pace")),
        comment="When a host may be asked again; every worker draws its turn here",
    )
    op.create_table(
        "instance_type",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("provider_name", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("accelerator", sa.Text(), nullable=True),
        sa.Column("accelerator_label", sa.Text(), nullable=False),
        sa.Column("accelerator_status", sa.String(length=16), nullable=False),
        sa.Column("candidates", sa.Text(), server_default="[]", nullable=False),
        sa.Column("accelerator_count", sa.Double(), nullable=False),
        sa.Column("memory_gib_per_accelerator", sa.Double(), nullable=True),
        sa.Column("vcpus", sa.Double(), nullable=True),
        sa.Column("ram_gib", sa.Double(), nullable=True),
        sa.Column("local_disk_gb", sa.Double(), nullable=True),
        sa.Column("intra_node_link", sa.Text(), nullable=True),
        sa.Column("intra_node_gbytes_per_s", sa.Double(), nullable=True),
        sa.Column("link_domain", sa.Integer(), server_default="1", nullable=False),
        sa.Column("peer_to_peer", sa.Boolean(), nullable=True),
        sa.Column("fabric", sa.Text(), nullable=True),
        sa.Column("fabric_gbps", sa.Double(), nullable=True),
        sa.Column("max_nodes", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_instance_type")),
        comment="One description of an instance type as hardware; never changed, the id is a hash of the row",
    )
    op.create_index(
        op.f("ix_instance_type_provider_name"), "instance_type", ["provider", "name"], unique=False
    )
    op.create_table(
        "provider",
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("last_attempt", INSTANT, nullable=True),
        sa.Column("last_success", INSTANT, nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("next_due", INSTANT, nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", INSTANT, nullable=True),
        sa.Column("fence", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("slug", name=op.f("pk_provider")),
        comment="One source of offers: when it was asked, when it last answered well, who holds it now",
    )
    op.create_table(
        "scrape_run",
        sa.Column("id", SERIAL, nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("started_at", INSTANT, nullable=False),
        sa.Column("finished_at", INSTANT, nullable=False),
        sa.Column("outcome", sa.String(length=16), nullable=False),
        sa.Column("offers", sa.Integer(), server_default="0", nullable=False),
        sa.Column("added", sa.Integer(), server_default="0", nullable=False),
        sa.Column("changed", sa.Integer(), server_default="0", nullable=False),
        sa.Column("withdrawn", sa.Integer(), server_default="0", nullable=False),
        sa.Column("rejected", sa.Integer(), server_default="0", nullable=False),
        sa.Column("held", sa.Integer(), server_default="0", nullable=False),
        sa.Column("ignored", sa.Text(), server_default="{}", nullable=False),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_scrape_run")),
        comment="One attempt: ok, partial (some rows held), held, failed; ignored is a JSON object reason: rows",
    )
    op.create_index(op.f("ix_scrape_run_provider_id"), "scrape_run", ["provider", "id"], unique=False)
    op.create_table(
        "hold",
        sa.Column("id", SERIAL, nullable=False),
        sa.Column("run_id", SERIAL, nullable=False),
        sa.Column("via", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("whole", sa.Boolean(), nullable=False),
        sa.Column("diff", sa.Text(), nullable=False),
        sa.Column("batch", sa.LargeBinary(), nullable=False),
        sa.Column("held_at", INSTANT, nullable=False),
        sa.Column("closed_at", INSTANT, nullable=True),
        sa.Column("closed_by", sa.String(length=16), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["scrape_run.id"], name=op.f("fk_hold_run_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hold")),
        comment="A refused batch with its difference from what stands; closed by agreement, operator or recovery",
    )
    op.create_index(
        op.f("ix_hold_via_provider_closed_at"), "hold", ["via", "provider", "closed_at"], unique=False
    )
    op.create_table(
        "offer",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("via", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("instance_type_id", sa.String(length=16), nullable=False),
        sa.Column("region", sa.Text(), nullable=False),
        sa.Column("country", sa.Text(), nullable=True),
        sa.Column("continent", sa.Text(), nullable=True),
        sa.Column("zone", sa.Text(), nullable=True),
        sa.Column("purchase_option", sa.String(length=16), nullable=False),
        sa.Column("term_months", sa.Integer(), nullable=True),
        sa.Column("upfront_option", sa.String(length=16), nullable=True),
        sa.Column("tier", sa.Text(), nullable=True),
        sa.Column("native_id", sa.Text(), nullable=True),
        sa.Column("price_per_hour", MONEY, nullable=True),
        sa.Column("upfront", MONEY, nullable=True),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("price_changed_at", INSTANT, nullable=True),
        sa.Column("previous_price", MONEY, nullable=True),
        sa.Column("stock", sa.Text(), nullable=True),
        sa.Column("stock_units", sa.Integer(), nullable=True),
        sa.Column("reliability", sa.Double(), nullable=True),
        sa.Column("minimum_term_hours", sa.Double(), nullable=True),
        sa.Column("price_basis", sa.Text(), server_default="instance-hour", nullable=False),
        sa.Column("flags", sa.Text(), server_default="[]", nullable=False),
        sa.Column("source", sa.Text(), server_default="", nullable=False),
        sa.Column("source_kind", sa.String(length=16), nullable=False),
        sa.Column("source_url", sa.Text(), server_default="", nullable=False),
        sa.Column("licence", sa.Text(), server_default="", nullable=False),
        sa.Column("said_at", INSTANT, nullable=True),
        sa.Column("first_seen", INSTANT, nullable=False),
        sa.Column("withdrawn_at", INSTANT, nullable=True),
        sa.Column("stamp", sa.String(length=16), nullable=False),
        sa.Column("run_id", SERIAL, nullable=False),
        sa.ForeignKeyConstraint(
            ["instance_type_id"], ["instance_type.id"], name=op.f("fk_offer_instance_type_id")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["scrape_run.id"], name=op.f("fk_offer_run_id")),
        sa.PrimaryKeyConstraint("id", "via", name=op.f("pk_offer")),
        postgresql_with={"fillfactor": 70},
        comment="What one source (via) says of one offer now; prices of the whole instance in its own currency. said_at is the source's own date where it is older than the run",
    )
    op.create_index(
        op.f("ix_offer_via_provider_withdrawn_at"), "offer", ["via", "provider", "withdrawn_at"], unique=False
    )
    op.create_table(
        "price_point",
        sa.Column("offer_id", sa.String(length=16), nullable=False),
        sa.Column("via", sa.Text(), nullable=False),
        sa.Column("at", INSTANT, nullable=False),
        sa.Column("price_per_hour", MONEY, nullable=True),
        sa.Column("upfront", MONEY, nullable=True),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("usd_per_hour", sa.Double(), nullable=True),
        sa.Column("run_id", SERIAL, nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["scrape_run.id"], name=op.f("fk_price_point_run_id")),
        sa.PrimaryKeyConstraint("offer_id", "via", "at", name=op.f("pk_price_point")),
        comment="Appended when a price changes, never otherwise; usd_per_hour has the upfront spread over the term",
    )
    op.create_index(op.f("ix_price_point_run_id"), "price_point", ["run_id"], unique=False)
    op.create_table(
        "reject",
        sa.Column("id", SERIAL, nullable=False),
        sa.Column("run_id", SERIAL, nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("raw", sa.Text(), server_default="", nullable=False),
        sa.Column("rows", sa.Integer(), server_default="1", nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["scrape_run.id"], name=op.f("fk_reject_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reject")),
        comment="Rows refused by a run, alike ones counted together",
    )
    op.create_index(op.f("ix_reject_run_id"), "reject", ["run_id"], unique=False)
    op.execute("INSERT INTO board_version (id, version) VALUES (1, 0)")


def downgrade() -> None:
    op.drop_index(op.f("ix_reject_run_id"), table_name="reject")
    op.drop_table("reject")
    op.drop_index(op.f("ix_price_point_run_id"), table_name="price_point")
    op.drop_table("price_point")
    op.drop_index(op.f("ix_offer_via_provider_withdrawn_at"), table_name="offer")
    op.drop_table("offer")
    op.drop_index(op.f("ix_hold_via_provider_closed_at"), table_name="hold")
    op.drop_table("hold")
    op.drop_index(op.f("ix_scrape_run_provider_id"), table_name="scrape_run")
    op.drop_table("scrape_run")
    op.drop_table("provider")
    op.drop_index(op.f("ix_instance_type_provider_name"), table_name="instance_type")
    op.drop_table("instance_type")
    op.drop_table("host_pace")
    op.drop_table("exchange_rate")
    op.drop_table("board_version")
    op.drop_table("accelerator_day")
