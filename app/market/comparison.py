"""A few offers side by side: the same lines for each, where they differ, and which is best in each line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from app.catalog.terms import ProviderTerms
from app.domain.errors import BadInput, NotFound
from app.domain.record import OfferRecord
from app.domain.run import TrainingRun
from app.domain.sentence import N_, Sentence
from app.market.column import GROUPS, Column, Group
from app.market.columns import BY_NAME, COLUMNS
from app.market.explain import Explanation, explain
from app.market.frame import Frame
from app.market.history import PricePoint
from app.market.remembered import board_of_one, explain_at, remembered

if TYPE_CHECKING:
    from app.market.service import Market

MOST = 6
Better = Literal["low", "high", ""]
LOW = frozenset((
    "price_usd_per_hour", "price_usd_per_accelerator_hour", "usd_per_pflop_hour", "upfront_usd", "minimum_term_hours",
    "billing_increment_s",
))  # fmt: skip
HIGH = frozenset((
    "memory_gib_per_accelerator", "total_memory_gib", "memory_bandwidth_gbytes_per_s", "bf16_tflops", "fp8_tflops",
    "intra_node_gbytes_per_s", "link_domain", "fabric_gbps", "cluster_nodes", "vcpus", "ram_gib",
    "vcpus_per_accelerator", "ram_gib_per_accelerator", "local_disk_gb", "stock_units", "reliability",
))  # fmt: skip
SKIPPED = frozenset(("id", "provider_name", "accelerator_label", "accelerator", "source_url", "first_seen"))
COMPARED_GROUPS: tuple[Group, ...] = ("offer", "price", "hardware", "link", "host", "place", "source")


@dataclass(frozen=True, slots=True)
class Compared:
    """One offer. `withdrawn_at` is None while it stands; `explanation` is there with a run; `points` are its prices,
    oldest first."""

    record: OfferRecord
    withdrawn_at: datetime | None
    frame: Frame
    row: int
    terms: ProviderTerms
    points: tuple[PricePoint, ...]
    explanation: Explanation | None

    @property
    def id(self) -> str:
        """Identity of the offer."""
        return self.record.id


@dataclass(frozen=True, slots=True)
class Line:
    """One property of every offer: `values` in the order of the offers, None = unknown. `best` are the places of the
    best known values of offers that stand; empty where nothing is better or all are alike. `form` says how a value is
    written: a column's own format where there is a `column`."""

    name: str
    label: str
    unit: str
    form: str
    values: tuple[Any, ...]
    best: frozenset[int]
    differs: bool
    column: Column | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """`groups` are (title, lines); lines that nobody knows anything about are left out. `missing` are ids that no offer
    has or had."""

    run: TrainingRun | None
    offers: tuple[Compared, ...]
    groups: tuple[tuple[str, tuple[Line, ...]], ...]
    missing: tuple[str, ...]


def compare(market: Market, ids: Sequence[str], run: TrainingRun | None) -> Comparison:
    """The offers of these ids, in this order, each once.

    Raises:
        BadInput: more than MOST, or a run that cannot be answered.
    """
    wanted = tuple(dict.fromkeys(ids))
    if len(wanted) > MOST:
        text = N_("at most {most} offers fit side by side; {given} were asked for: take one away")
        raise BadInput("offer", Sentence(text, {"most": MOST, "given": len(wanted)}))
    found: list[Compared] = []
    missing: list[str] = []
    for key in wanted:
        try:
            found.append(_compared(market, key, run))
        except NotFound:
            missing.append(key)
    groups = tuple((title, lines) for title, lines in _groups(found, run) if lines)
    return Comparison(run, tuple(found), groups, tuple(missing))


def _compared(market: Market, key: str, run: TrainingRun | None) -> Compared:
    record, withdrawn_at = remembered(market, key)
    board = market.board if withdrawn_at is None else board_of_one(market, record)
    told = None
    if run is not None:
        stands = withdrawn_at is None
        told = explain(board, key, run, market.catalog) if stands else _as_it_was(market, record, run)
    return Compared(
        record=record,
        withdrawn_at=withdrawn_at,
        frame=Frame(board),
        row=board.row_of(key),
        terms=market.catalog.terms(record.provider),
        points=tuple(market.price_points(key)),
        explanation=told,
    )


def _as_it_was(market: Market, record: OfferRecord, run: TrainingRun) -> Explanation:
    return explain_at(market, record, run, record.price_usd_per_hour)


def _groups(offers: Sequence[Compared], run: TrainingRun | None) -> list[tuple[str, tuple[Line, ...]]]:
    groups = [
        (GROUPS[name], _known(_of_column(offers, c) for c in _columns(name))) for name in COMPARED_GROUPS
    ]
    groups.append((N_("Billing terms"), _known(_line(offers, item) for item in TERMS)))
    if run is None:
        return groups
    told = [
        (N_("Run: verdict and plan"), _known(_line(offers, item) for item in VERDICT)),
        (N_("Memory per accelerator"), _known(_line(offers, item) for item in MEMORY)),
        (N_("Time"), _known(_line(offers, item) for item in TIME)),
        (N_("Cost of the whole run"), _known(_line(offers, item) for item in COST)),
    ]
    return told + groups


def _columns(group: Group) -> list[Column]:
    return [c for c in COLUMNS if c.group == group and not c.needs_run and c.name not in SKIPPED]


def _known(lines: Any) -> tuple[Line, ...]:
    return tuple(line for line in lines if any(_is_known(value) for value in line.values))


def _is_known(value: Any) -> bool:
    return value is not None and value != "" and value != ()


def _of_column(offers: Sequence[Compared], column: Column) -> Line:
    values = tuple(_cell(offer, column.name) for offer in offers)
    better: Better = "low" if column.name in LOW else "high" if column.name in HIGH else ""
    best, differs = _marks(offers, values, better)
    return Line(column.name, column.label, column.unit, "", values, best, differs, column)


def _cell(offer: Compared, name: str) -> Any:
    value = offer.record.provider_name if name == "provider" else offer.frame.value(name, offer.row)
    return value if _is_known(value) else None


@dataclass(frozen=True, slots=True)
class _Item:
    """A line that is no column: where its value is, how it is written, which way is better."""

    name: str
    label: str
    read: Callable[[Compared], Any]
    unit: str = ""
    form: str = "text"
    better: Better = ""


def _line(offers: Sequence[Compared], item: _Item) -> Line:
    values = tuple(item.read(offer) for offer in offers)
    best, differs = _marks(offers, values, item.better)
    return Line(item.name, item.label, item.unit, item.form, values, best, differs)


def _marks(offers: Sequence[Compared], values: Sequence[Any], better: Better) -> tuple[frozenset[int], bool]:
    """Places of the best values, and whether the known and unknown ones differ at all."""
    differs = len({repr(value) for value in values}) > 1
    standing = [
        at for at, offer in enumerate(offers) if offer.withdrawn_at is None and values[at] is not None
    ]
    known = [values[at] for at in standing]
    if not better or len(set(known)) < 2:
        return frozenset(), differs
    top = min(known) if better == "low" else max(known)
    return frozenset(at for at in standing if values[at] == top), differs


def _explained(part: str, name: str, offer: Compared) -> Any:
    """A figure of the explanation; None without one, or where the run does not get so far."""
    told = offer.explanation
    holder = told if part == "" else getattr(told, part, None)
    value = getattr(holder, name, None)
    return None if isinstance(value, float) and value != value else value


def _of(part: str, name: str) -> Callable[[Compared], Any]:
    return partial(_explained, part, name)


def _term(name: str) -> Callable[[Compared], Any]:
    return lambda offer: getattr(offer.terms, name)


def _plan(offer: Compared) -> object:
    return offer.explanation.found.plan_words if offer.explanation else None


VERDICT = (
    _Item("verdict", BY_NAME["verdict"].label, _of("", "verdict"), form="verdict"),
    _Item("why", BY_NAME["why"].label, _of("", "why")),
    _Item("plan", BY_NAME["plan"].label, _plan),
    _Item("nodes", BY_NAME["nodes"].label, _of("found", "nodes"), form="integer"),
)
MEMORY = (
    _Item("weights", N_("weights"), _of("memory", "weights"), "GiB", "gib"),
    _Item("gradients", N_("gradients"), _of("memory", "gradients"), "GiB", "gib"),
    _Item("optimizer_states", N_("optimizer states"), _of("memory", "optimizer_states"), "GiB", "gib"),
    _Item("activations", N_("activations"), _of("memory", "activations"), "GiB", "gib"),
    _Item("loss", N_("loss and logits"), _of("memory", "loss"), "GiB", "gib"),
    _Item("buffers", N_("buffers"), _of("memory", "buffers"), "GiB", "gib"),
    _Item("overhead", N_("outside the allocator"), _of("memory", "overhead"), "GiB", "gib"),
    _Item("high", N_("Needed, high edge"), _of("memory", "high"), "GiB", "gib"),
    _Item("usable_gib", N_("There is, by the driver"), _of("", "usable_gib"), "GiB", "gib"),
    _Item("headroom_gib", BY_NAME["headroom_gib"].label, _of("found", "headroom_gib"), "GiB", "gib", "high"),
)
TIME = (
    _Item("hours", N_("Time to finish"), _of("cost", "hours"), "h", "hours", "low"),
    _Item("low_hours", N_("Time, fast edge"), _of("cost", "low_hours"), "h", "hours"),
    _Item("high_hours", N_("Time, slow edge"), _of("cost", "high_hours"), "h", "hours"),
    _Item("tokens_per_s", BY_NAME["tokens_per_s"].label, _of("time", "tokens_per_s"), "tokens/s", "compact", "high"),
    _Item("mfu", BY_NAME["mfu"].label, _of("time", "mfu"), "", "percent", "high"),
    _Item("step_s", N_("One step"), _of("time", "step_s"), "", "duration"),
    _Item("exposed", N_("of it waiting for links"), _of("time", "exposed_communication_s"), "", "duration", "low"),
    _Item("bound", N_("What holds it up"), _of("time", "why")),
)  # fmt: skip
COST = (
    _Item("total_usd", N_("Total cost"), _of("cost", "total_usd"), "USD", "usd", "low"),
    _Item("low_usd", N_("Total, low"), _of("cost", "low_usd"), "USD", "usd"),
    _Item("high_usd", N_("Total, high"), _of("cost", "high_usd"), "USD", "usd"),
    _Item("compute_usd", N_("computing"), _of("cost", "compute_usd"), "USD", "usd"),
    _Item("interruption_usd", N_("interruptions"), _of("cost", "interruption_usd"), "USD", "usd"),
    _Item("idle_usd", N_("starting and idle time"), _of("cost", "idle_usd"), "USD", "usd"),
    _Item("storage_usd", N_("storage"), _of("cost", "storage_usd"), "USD", "usd"),
    _Item("egress_usd", N_("egress"), _of("cost", "egress_usd"), "USD", "usd"),
    _Item("unused_usd", N_("rest of the commitment"), _of("cost", "unused_usd"), "USD", "usd"),
    _Item("billed_hours", N_("Hours billed"), _of("cost", "billed_hours"), "h", "hours"),
    _Item("committed_usd", N_("Committed for the term"), _of("cost", "committed_usd"), "USD", "usd", "low"),
)
TERMS = (
    _Item("minimum_s", N_("Billed at least"), _term("minimum_s"), "", "duration", "low"),
    _Item("notice_s", N_("Notice before interruption"), _term("notice_s"), "", "duration", "high"),
    _Item("egress_usd_per_gb", N_("Egress"), _term("egress_usd_per_gb"), N_("USD per GB"), "number", "low"),
    _Item("storage_usd_per_gb_month", N_("Storage"), _term("storage_usd_per_gb_month"),
          N_("USD per GB and month"), "number", "low"),
    _Item("persistent_volumes", N_("Volumes that stay"), _term("persistent_volumes"), form="flag"),
    _Item("multi_node", N_("Clusters by oneself"), _term("multi_node"), form="words"),
    _Item("terms_source", N_("Source of the terms"), _term("source"), form="quotation"),
)  # fmt: skip
