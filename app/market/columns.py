"""Every column of the comparison, declared once.

Table, filters, sort links, caption, URL and API parameters, OpenAPI, CSV header, column chooser and the reference
page are all read off `COLUMNS`. A column's `value` is evaluated once per offer when the board is built; columns of
the group `run` have none and are filled from the estimates of a training run.
"""

from __future__ import annotations

from app.domain.errors import UnknownParameter
from app.domain.flags import DOUBTS, NOTES
from app.domain.offer import PURCHASE_OPTIONS
from app.domain.sentence import N_, Sentence
from app.market import arrays
from app.market.column import (
    GIB_TOLERANCE,
    Column,
    accelerator_facet,
    accelerator_family,
    area_family,
    each,
    host_family,
    link_family,
    number,
    of_card,
    of_record,
    of_terms,
    per_accelerator,
    price_change,
    price_per_pflop,
    run_column,
    text,
    total_memory,
)
from app.market.labels import (
    AREA_LABELS,
    CONTINENT_LABELS,
    FORM_LABELS,
    HOST_LABELS,
    PURCHASE_LABELS,
    SOURCE_LABELS,
    STATUS_LABELS,
    STOCK_LABELS,
    TIER_LABELS,
    UPFRONT_LABELS,
    VERDICT_LABELS,
)
from app.market.reasons import REASONS

OFFER = (
    text("id", N_("Id"), N_("Stable identity of the offer."), "offer", filter="choice", facets=False),
    text("provider", N_("Provider"), N_("Who rents it out."), "offer", filter="choice", default=True),
    text("provider_name", N_("Provider name"), N_("The provider's own name."), "offer"),
    text(
        "accelerator", N_("Accelerator key"),
        N_("Catalog key of the accelerator; empty where the name may mean several."), "offer",
        filter="choice", facet=accelerator_facet, family=accelerator_family, filter_label=N_("Accelerator"),
    ),
    text("accelerator_label", N_("Accelerator"), N_("Model, form factor and memory."), "offer", default=True),
    text(
        "accelerator_status", N_("Name known"), N_("Whether the source's name means exactly one accelerator."), "offer",
        filter="choice", options=tuple(STATUS_LABELS), option_labels=STATUS_LABELS,
    ),
    number(
        "accelerator_count", N_("Count"), N_("Accelerators in the instance; below 1 is a part of a card."), "offer",
        format="count", parameter="accelerator_count", default=True,
    ),
    text("instance_type", N_("Instance type"), N_("The provider's name for the machine."), "offer",
         filter="text", default=True),
    text(
        "purchase_option", N_("Purchase"), N_("How it is bought."), "offer", default=True,
        filter="choice", options=PURCHASE_OPTIONS, option_labels=PURCHASE_LABELS,
    ),
    number("term_months", N_("Term"), N_("Months that are committed to."), "offer", "months", format="integer"),
    text("upfront_option", N_("Upfront"), N_("How much of the term is paid at the start."), "offer",
         filter="choice", options=tuple(UPFRONT_LABELS), option_labels=UPFRONT_LABELS),
    text("tier", N_("Tier"), N_("The provider's own class, such as secure or community."), "offer", filter="choice"),
    text("stock", N_("Stock"), N_("Availability as the provider last said."), "offer",
         filter="choice", options=tuple(STOCK_LABELS), option_labels=STOCK_LABELS),
    number("stock_units", N_("Units"), N_("Machines on offer."), "offer", format="integer"),
)  # fmt: skip

PRICE = (
    number(
        "price_usd_per_hour", N_("Price"), N_("Of the whole instance per hour; upfront payments spread over the term."),
        "price", "USD/h", format="money", parameter="price", default=True, each=N_("Price per accelerator"),
    ),
    number(
        "price_usd_per_accelerator_hour", N_("Per accelerator"),
        N_("Price per hour of one whole accelerator; of a part of a card, per whole-card equivalent."),
        "price", "USD/h", format="money", parameter="accelerator_price", default=True,
        value=lambda facts: per_accelerator(facts.record), array=arrays.prices_per_accelerator,
    ),
    number("upfront_usd", N_("Upfront payment"), N_("Paid at the start for the whole term."), "price", "USD",
           format="money", each=N_("Upfront per accelerator")),
    number("hourly_price_native", N_("As quoted"), N_("The recurring hourly price in the source's currency."), "price",
           format="money", filter=None),
    text("quoted_currency", N_("Quoted in"), N_("Currency of the source."), "price", filter="choice",
         value=of_record("currency")),
    number("usd_per_pflop_hour", N_("Per PFLOP/s"), N_("Price per hour of one dense BF16 PFLOP/s on the data sheet."),
           "price", "USD/h", format="money", value=price_per_pflop, array=arrays.prices_per_pflop),
    number("minimum_term_hours", N_("Minimum"), N_("Shortest time that is billed."), "price", "h"),
    number("billing_increment_s", N_("Billed per"), N_("Step in which the provider bills time."), "price", "s",
           format="integer", default=True, value=of_terms("billing_increment_s")),
    number("price_change", N_("Last change"), N_("By how much the price last moved."), "price", format="percent",
           signed=True, value=lambda facts: price_change(facts.record), array=arrays.price_changes),
    Column(
        name="price_changed_at", label=N_("Changed"), help=N_("When the price last moved."), group="price",
        kind="time", format="age", value=of_record("price_changed_at"),
    ),
)  # fmt: skip

HARDWARE = (
    number(
        "memory_gib_per_accelerator", N_("Memory"), N_("Per accelerator, as the driver reports it."), "hardware", "GiB",
        format="gib", parameter="memory_gib", tolerance=GIB_TOLERANCE, default=True,
    ),
    number(
        "total_memory_gib", N_("Memory in all"), N_("Accelerator memory of the whole instance."), "hardware", "GiB",
        format="gib", tolerance=GIB_TOLERANCE, value=lambda facts: total_memory(facts.record), array=arrays.total_memories,
    ),
    number(
        "memory_bandwidth_gbytes_per_s", N_("Bandwidth"), N_("Memory bandwidth of one accelerator."), "hardware", "GB/s",
        format="integer", parameter="bandwidth_gbytes_per_s", default=True,
        value=of_card("memory_bandwidth_gbytes_per_s"),
    ),
    number("bf16_tflops", N_("BF16"), N_("Dense, per accelerator."), "hardware", "TFLOP/s", format="integer",
           value=of_card("bf16_tflops")),
    number("fp8_tflops", N_("FP8"), N_("Dense, per accelerator."), "hardware", "TFLOP/s", format="integer",
           value=of_card("fp8_tflops")),
    text("vendor", N_("Vendor"), N_("Who makes the accelerator."), "hardware", filter="choice", value=of_card("vendor")),
    text("architecture", N_("Architecture"), N_("Generation of the accelerator."), "hardware", filter="choice",
         value=of_card("architecture")),
    text("form_factor", N_("Form factor"), N_("SXM, PCIe and the like."), "hardware", filter="choice",
         option_labels=FORM_LABELS, value=of_card("form_factor")),
    text("accelerator_tier", N_("Class"), N_("Data centre, workstation or consumer."), "hardware", filter="choice",
         options=tuple(TIER_LABELS), option_labels=TIER_LABELS, value=of_card("tier")),
    text("compute_capability", N_("CC"), N_("CUDA compute capability."), "hardware", filter="choice",
         value=of_card("compute_capability")),
)  # fmt: skip

LINK = (
    text("intra_node_link", N_("Link"), N_("How the accelerators of one instance reach each other."), "link",
         filter="choice", family=link_family, default=True),
    number("intra_node_gbytes_per_s", N_("Link rate"), N_("Per accelerator, both directions."), "link", "GB/s",
           format="integer"),
    number("link_domain", N_("Link domain"), N_("Accelerators joined at that rate."), "link", format="integer"),
    Column(
        name="peer_to_peer", label=N_("Peer to peer"), help=N_("Accelerators read each other's memory directly."),
        group="link", kind="flag", format="flag", filter="flag", value=of_record("peer_to_peer"),
    ),
    text("fabric", N_("Fabric"), N_("Network between instances."), "link", filter="choice", family=link_family,
         default=True),
    number("fabric_gbps", N_("Fabric rate"), N_("Of one instance, one direction."), "link", "Gb/s", format="integer",
           default=True),
    number("cluster_nodes", N_("Cluster"), N_("Most instances that are sold as one cluster."), "link", "nodes",
           format="integer", value=of_record("max_nodes")),
)  # fmt: skip

HOST = (
    number("vcpus", N_("vCPUs"), N_("Of the whole instance."), "host", format="integer", default=True),
    number("ram_gib", N_("RAM"), N_("Of the whole instance."), "host", "GiB", format="gib", tolerance=GIB_TOLERANCE,
           default=True),
    number("vcpus_per_accelerator", N_("vCPUs each"), N_("Of the instance, per accelerator."), "host",
           value=lambda facts: each(facts.record, facts.record.vcpus),
           array=lambda all_: arrays.each_per_accelerator(all_.record.vcpus, all_)),
    number("ram_gib_per_accelerator", N_("RAM each"), N_("Of the instance, per accelerator."), "host", "GiB",
           format="gib", tolerance=GIB_TOLERANCE, value=lambda facts: each(facts.record, facts.record.ram_gib),
           array=lambda all_: arrays.each_per_accelerator(all_.record.ram_gib, all_)),
    number("local_disk_gb", N_("Disk"), N_("Local disk of the instance."), "host", "GB", format="integer"),
)  # fmt: skip

PLACE = (
    text("region", N_("Region"), N_("The provider's own code."), "place", filter="choice", commas=False, default=True,
         value=lambda facts: facts.record.region or None, array=lambda all_: all_.record.region),
    text("zone", N_("Zone"), N_("Zone inside the region."), "place", filter="choice", commas=False),
    text("country", N_("Country"), N_("Where the machine stands; two-letter code, and name."), "place", format="country",
         filter="choice", default=True),
    text("area", N_("Area"), N_("Part of the world as clouds divide it: US East, Europe, APAC."), "place",
         filter="choice", family=area_family, option_labels=AREA_LABELS, value=lambda facts: facts.area,
         array=arrays.areas),
    text("continent", N_("Continent"), N_("Where the machine stands."), "place", filter="choice",
         option_labels=CONTINENT_LABELS),
)  # fmt: skip

SOURCE = (
    Column(
        name="observed_at", label=N_("Age"), help=N_("Time since the source last said so."), group="source",
        kind="time", format="age", filter="age", parameter="max_age_days", value=of_record("observed_at"), default=True,
    ),
    Column(
        name="first_seen", label=N_("First seen"), help=N_("When the offer first appeared."), group="source",
        kind="time", format="age", value=of_record("first_seen"),
    ),
    text("source", N_("Source"), N_("Where the price was read."), "source", commas=False, default=True),
    text("source_kind", N_("Kind of source"), N_("How directly the price was read."), "source",
         filter="choice", options=tuple(SOURCE_LABELS), option_labels=SOURCE_LABELS),
    text("source_url", N_("Source address"), N_("Page of the source."), "source"),
    text("licence", N_("Licence"), N_("Under which the source publishes."), "source"),
    Column(
        name="flagged", label=N_("Flagged"), help=N_("The price is doubtful; it takes no part in what is cheapest."), group="source",
        kind="flag", format="flag", filter="flag", value=lambda facts: bool(facts.record.flags),
        array=arrays.flagged,
    ),
    Column(
        name="flags", label=N_("Flags"), help=N_("Why the price is doubtful."), group="source", kind="list",
        format="list", value=of_record("flags"), option_labels=DOUBTS,
    ),
    Column(
        name="notes", label=N_("Notes"), help=N_("What explains the price."), group="source", kind="list",
        format="list", value=of_record("notes"), option_labels=NOTES,
    ),
    Column(
        name="other_sources", label=N_("Also seen at"), help=N_("Further sources that filled blanks."), group="source",
        kind="list", format="list", value=of_record("other_sources"),
    ),
)  # fmt: skip

RUN = (
    run_column("verdict", N_("Fit"), N_("Whether the run fits, at the pessimistic edge of the error band."),
               filter="choice", options=tuple(VERDICT_LABELS), option_labels=VERDICT_LABELS, default=True),
    run_column("reason", N_("Reason"), N_("What decides the verdict, in a word."), filter="choice",
               options=tuple(REASONS), option_labels=REASONS),
    run_column("why", N_("Why"), N_("The verdict as a sentence.")),
    run_column("plan", N_("Plan"), N_("How the run is laid over the accelerators."), default=True),
    number("nodes", N_("Nodes"), N_("Instances that the plan takes."), "run", format="integer", value=None, default=True),
    number("headroom_gib", N_("Headroom"), N_("Memory left per accelerator at the pessimistic edge; below zero where the error band straddles the card."), "run", "GiB",
           format="gib", value=None, default=True, signed=True),
    number("tokens_per_s", N_("Speed"), N_("Tokens per second of the whole job."), "run", "tokens/s", format="compact",
           value=None, default=True),
    run_column("host_check", N_("Host"),
               N_("What may hold the run up though it fits: vCPUs, host memory, local disk, storage for the loader."),
               filter="choice", family=host_family, option_labels=HOST_LABELS),
    number("mfu", N_("MFU"), N_("Share of the data-sheet FLOP/s that the model's own work uses."), "run",
           format="percent", value=None),
    number("hours", N_("Time"), N_("Wall-clock time of the run, interruptions included."), "run", "h", value=None,
           default=True),
    number("total_usd", N_("Total cost"),
           N_("All nodes for the whole run: compute, storage, egress, idle time, and the rest of a commitment."), "run",
           "USD", format="money", value=None, default=True),
    number("total_usd_low", N_("Total, low"), N_("Total cost at the fast edge of the band."), "run", "USD",
           format="money", value=None),
    number("total_usd_high", N_("Total, high"), N_("Total cost at the slow edge of the band."), "run", "USD",
           format="money", value=None),
)  # fmt: skip

FIRST = (
    "accelerator_label", "accelerator_count", "provider", "purchase_option", "total_usd", "hours", "verdict",
    "tokens_per_s", "headroom_gib", "price_usd_per_hour", "price_usd_per_accelerator_hour", "country", "region",
    "nodes", "plan", "instance_type",
)  # fmt: skip
"""Read first, in this order: what is rented where, what the run costs on it, what it costs by the hour."""


def _in_reading_order(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    rank = {name: place for place, name in enumerate(FIRST)}
    return tuple(sorted(columns, key=lambda column: rank.get(column.name, len(rank))))


COLUMNS: tuple[Column, ...] = _in_reading_order(
    (*OFFER, *PRICE, *HARDWARE, *LINK, *HOST, *PLACE, *SOURCE, *RUN)
)
BY_NAME = {column.name: column for column in COLUMNS}
OFFER_COLUMNS = tuple(column for column in COLUMNS if not column.needs_run)
RUN_COLUMNS = tuple(column for column in COLUMNS if column.needs_run)
_BY_ANY_NAME = BY_NAME | {column.parameter: column for column in COLUMNS if column.parameter}


def column_named(name: str, parameter: str) -> Column:
    """The column with this name or short name.

    Raises:
        UnknownParameter: `parameter` asked for a column that does not exist.
    """
    column = _BY_ANY_NAME.get(name)
    if column is None:
        raise UnknownParameter(parameter, Sentence("there is no column {name}", {"name": repr(name[:60])}))
    return column


def default_columns(with_run: bool) -> tuple[Column, ...]:
    """The columns of the table when nobody chose."""
    return tuple(column for column in COLUMNS if column.default and (with_run or not column.needs_run))
