"""The tables. Words as in the design; every offer, price and reject points to the scrape run that said so."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    false,
)

from app.db.types import Instant, Money, Rate, SerialId

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    }
)

provider = Table(
    "provider",
    metadata,
    Column("slug", Text, primary_key=True),
    Column("last_attempt", Instant),
    Column("last_success", Instant),
    Column("last_error", Text),
    Column("failures", Integer, nullable=False, server_default="0"),
    Column("next_due", Instant),
    Column("lease_owner", Text),
    Column("lease_until", Instant),
    Column("fence", BigInteger, nullable=False, server_default="0"),
    comment="One source of offers: when it was asked, when it last answered well, who holds it now",
)

scrape_run = Table(
    "scrape_run",
    metadata,
    Column("id", SerialId, primary_key=True),
    Column("provider", Text, nullable=False),
    Column("started_at", Instant, nullable=False),
    Column("finished_at", Instant, nullable=False),
    Column("outcome", String(16), nullable=False),
    Column("offers", Integer, nullable=False, server_default="0"),
    Column("added", Integer, nullable=False, server_default="0"),
    Column("changed", Integer, nullable=False, server_default="0"),
    Column("withdrawn", Integer, nullable=False, server_default="0"),
    Column("rejected", Integer, nullable=False, server_default="0"),
    Column("held", Integer, nullable=False, server_default="0"),
    Column("ignored", Text, nullable=False, server_default="{}"),
    Column("note", Text, nullable=False, server_default=""),
    Index(None, "provider", "id"),
    comment="One attempt: ok, partial (some rows held), held, failed; ignored is a JSON object reason: rows",
)

instance_type = Table(
    "instance_type",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("provider", Text, nullable=False),
    Column("provider_name", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("accelerator", Text),
    Column("accelerator_label", Text, nullable=False),
    Column("accelerator_status", String(16), nullable=False),
    Column("candidates", Text, nullable=False, server_default="[]"),
    Column("accelerator_count", Double, nullable=False),
    Column("memory_gib_per_accelerator", Double),
    Column("vcpus", Double),
    Column("ram_gib", Double),
    Column("local_disk_gb", Double),
    Column("intra_node_link", Text),
    Column("intra_node_gbytes_per_s", Double),
    Column("link_domain", Integer, nullable=False, server_default="1"),
    Column("peer_to_peer", Boolean),
    Column("fabric", Text),
    Column("fabric_gbps", Double),
    Column("max_nodes", Integer),
    Index(None, "provider", "name"),
    comment="One description of an instance type as hardware; never changed, the id is a hash of the row",
)

offer = Table(
    "offer",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("via", Text, primary_key=True),
    Column("provider", Text, nullable=False),
    Column("instance_type_id", String(16), ForeignKey("instance_type.id"), nullable=False),
    Column("region", Text, nullable=False),
    Column("country", Text),
    Column("continent", Text),
    Column("zone", Text),
    Column("purchase_option", String(16), nullable=False),
    Column("term_months", Integer),
    Column("upfront_option", String(16)),
    Column("tier", Text),
    Column("native_id", Text),
    Column("price_per_hour", Money),
    Column("upfront", Money),
    Column("currency", Text, nullable=False),
    Column("price_changed_at", Instant),
    Column("previous_price", Money),
    Column("stock", Text),
    Column("stock_units", Integer),
    Column("reliability", Double),
    Column("minimum_term_hours", Double),
    Column("price_basis", Text, nullable=False, server_default="instance-hour"),
    Column("flags", Text, nullable=False, server_default="[]"),
    Column("source", Text, nullable=False, server_default=""),
    Column("source_kind", String(16), nullable=False),
    Column("source_url", Text, nullable=False, server_default=""),
    Column("licence", Text, nullable=False, server_default=""),
    Column("said_at", Instant),
    Column("first_seen", Instant, nullable=False),
    Column("withdrawn_at", Instant),
    Column("stamp", String(16), nullable=False),
    Column("run_id", ForeignKey("scrape_run.id"), nullable=False),
    Index(None, "via", "provider", "withdrawn_at"),
    postgresql_with={
        "fillfactor": 70
    },  # every scrape touches every row: room for the new version beside the old
    comment="What one source (via) says of one offer now; prices of the whole instance in its own currency. "
    "said_at is the source's own date where it is older than the run",
)

price_point = Table(
    "price_point",
    metadata,
    Column("offer_id", String(16), primary_key=True),
    Column("via", Text, primary_key=True),
    Column("at", Instant, primary_key=True),
    Column("price_per_hour", Money),
    Column("upfront", Money),
    Column("currency", Text, nullable=False),
    Column("usd_per_hour", Double),
    Column("run_id", ForeignKey("scrape_run.id"), nullable=False),
    Index(None, "run_id"),
    Index(None, "at"),
    comment="Appended when a price changes, never otherwise; usd_per_hour has the upfront spread over the term",
)

accelerator_day = Table(
    "accelerator_day",
    metadata,
    Column("accelerator", Text, primary_key=True),
    Column("purchase_option", String(16), primary_key=True),
    Column("day", Date, primary_key=True),
    Column("low_usd", Double, nullable=False),
    Column("median_usd", Double, nullable=False),
    Column("offers", Integer, nullable=False),
    Column("providers", Integer, nullable=False),
    Column("flagged", Integer, nullable=False, server_default="0"),
    Column("backfilled", Boolean, nullable=False, server_default=false()),
    Column("since", Date),
    Column("log_change", Double),
    Column("matched", Integer, nullable=False, server_default="0"),
    Column("matched_providers", Integer, nullable=False, server_default="0"),
    Index(None, "day"),
    comment="Per accelerator-hour: the lowest unflagged price and the median of the providers' medians",
)
"""`log_change` is the mean logarithm of the price ratios of the `matched` offers that stood on the day `since` too."""

provider_day = Table(
    "provider_day",
    metadata,
    Column("provider", Text, primary_key=True),
    Column("accelerator", Text, primary_key=True),
    Column("purchase_option", String(16), primary_key=True),
    Column("day", Date, primary_key=True),
    Column("low_usd", Double, nullable=False),
    Column("offers", Integer, nullable=False),
    Index(None, "day"),
    comment="Per accelerator-hour: a provider's lowest unflagged price of a day",
)

reject = Table(
    "reject",
    metadata,
    Column("id", SerialId, primary_key=True),
    Column("run_id", ForeignKey("scrape_run.id", ondelete="CASCADE"), nullable=False),
    Column("provider", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("raw", Text, nullable=False, server_default=""),
    Column("rows", Integer, nullable=False, server_default="1"),
    Index(None, "run_id"),
    comment="Rows refused by a run, alike ones counted together",
)

hold = Table(
    "hold",
    metadata,
    Column("id", SerialId, primary_key=True),
    Column("run_id", ForeignKey("scrape_run.id"), nullable=False),
    Column("via", Text, nullable=False),
    Column("provider", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("why", Text, nullable=False),
    Column("whole", Boolean, nullable=False),
    Column("diff", Text, nullable=False),
    Column("batch", LargeBinary, nullable=False),
    Column("held_at", Instant, nullable=False),
    Column("closed_at", Instant),
    Column("closed_by", String(16)),
    Index(None, "via", "provider", "closed_at"),
    comment="A refused batch with its difference from what stands; closed by agreement, operator or recovery",
)

exchange_rate = Table(
    "exchange_rate",
    metadata,
    Column("currency", String(3), primary_key=True),
    Column("day", Date, primary_key=True),
    Column("usd_per_unit", Rate, nullable=False),
    Column("source", Text, nullable=False),
)

host_pace = Table(
    "host_pace",
    metadata,
    Column("host", Text, primary_key=True),
    Column("next_at", Instant, nullable=False),
    comment="When a host may be asked again; every worker draws its turn here",
)

board_version = Table(
    "board_version",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("version", BigInteger, nullable=False),
    comment="One row, raised as the last act of every transaction that changes what the board shows",
)
