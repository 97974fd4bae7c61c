"""What a column is, and how its values are read from an offer. The columns themselves: `columns.COLUMNS`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from app.domain.sentence import N_
from app.market.arrays import Columns, Source

if TYPE_CHECKING:
    from app.catalog import ProviderTerms
    from app.domain.accelerator import Accelerator
    from app.domain.record import OfferRecord

Kind = Literal["text", "number", "time", "flag", "list"]
FilterKind = Literal["choice", "range", "text", "flag", "age"]
Format = Literal[
    "text",
    "country",
    "money",
    "integer",
    "number",
    "count",
    "gib",
    "percent",
    "age",
    "flag",
    "list",
    "compact",
]
Group = Literal["offer", "price", "hardware", "link", "host", "place", "source", "run"]

GROUPS: Mapping[Group, str] = {
    "offer": N_("Offer"),
    "price": N_("Price"),
    "hardware": N_("Accelerator"),
    "link": N_("Links and network"),
    "host": N_("Host"),
    "place": N_("Place"),
    "source": N_("Source and age"),
    "run": N_("Training run"),
}

GIB_TOLERANCE = 0.07
"""A vendor's "16 GB" is 14.9 GiB (behaviour case U09): bounds on memory forgive the 7 % between GB and GiB."""


class Facts(NamedTuple):
    """What one offer's values are read from. `card`, `terms` and `area` (of the market:
    "US East") are None where the catalog knows nothing."""

    record: OfferRecord
    card: Accelerator | None
    terms: ProviderTerms | None = None
    area: str | None = None


def _no_family(value: str) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column: its words, how it is stored, shown, filtered and sorted.

    `parameter` is the short name in URLs (the full name works too). `family` gives the wider words under which a
    value of a `choice` filter is also found (`nvlink` for `nvlink4+nvswitch`). `facet` is the value that is filtered
    where it differs from the value that is shown. `tolerance` loosens range bounds by that share. `signed` numbers may
    be below zero; for all others such a bound is a mistake. `each` is the label of an amount of the whole instance when it
    is shown of one accelerator; amounts without it are never divided. `filter_label` heads the filter where the column's
    own label says how the value is written. `value` reads it of one offer; `array`
    computes it for all at once where `value` is more than a field.
    """

    name: str
    label: str
    help: str
    group: Group
    value: Callable[[Facts], Any] | None = None
    array: Callable[[Columns], Any] | None = None
    kind: Kind = "text"
    format: Format = "text"
    unit: str = ""
    filter: FilterKind | None = None
    parameter: str = ""
    options: tuple[str, ...] = ()
    family: Callable[[str], tuple[str, ...]] = _no_family
    facet: Callable[[Facts], str | None] | None = None
    facets: bool = True
    commas: bool = True
    tolerance: float = 0.0
    signed: bool = False
    sortable: bool = True
    each: str = ""
    filter_label: str = ""
    default: bool = False
    option_labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def needs_run(self) -> bool:
        """The column has values only with a training run."""
        return self.value is None

    @property
    def asked_as(self) -> str:
        """The label of its filter."""
        return self.filter_label or self.label

    @property
    def url_name(self) -> str:
        """The name that links use."""
        return self.parameter or self.name


_FORM_FACTOR = re.compile(r"-(sxm\d?|pcie|nvl\d*|server|workstation|maxq)$")


def accelerator_family(key: str) -> tuple[str, ...]:
    """Wider names of an accelerator key: `h100-sxm5-80gb` → `h100-sxm5`, `h100`; a slice is also `slice`."""
    if key.endswith("-slice"):
        return ("slice",)
    model = re.sub(r"-\d+gb(-.*)?$", "", key.removesuffix("-ambiguous"))
    names = (model, _FORM_FACTOR.sub("", model))
    return (*names, "ambiguous") if key.endswith("-ambiguous") else names


def accelerator_facet(facts: Facts) -> str | None:
    """What an accelerator filter matches: the key, `KEY-slice` for a part of a card, `FAMILY-ambiguous`."""
    record = facts.record
    if record.accelerator_status == "slice" and record.accelerator:
        return f"{record.accelerator}-slice"
    if record.accelerator_status == "ambiguous" and record.candidates:
        families = {accelerator_family(key)[-1] for key in record.candidates}
        return f"{'-or-'.join(sorted(families))}-ambiguous"
    return record.accelerator


def link_family(kind: str) -> tuple[str, ...]:
    """Wider names of a link or fabric: `nvlink4+nvswitch` → `nvlink`, `nvswitch`; `infiniband-ndr` → `infiniband`."""
    plain = re.sub(r"\d+$", "", re.split(r"[+-]", kind)[0])
    return (plain, "nvswitch") if "nvswitch" in kind else (plain,)


def area_family(area: str) -> tuple[str, ...]:
    """The country that several areas make up: `US East` → `us`."""
    return ("us",) if area.startswith("US ") else ()


def host_family(word: str) -> tuple[str, ...]:
    """Each trouble of a host that has several: `few_vcpus+small_disk` → `few_vcpus`, `small_disk`."""
    return tuple(word.split("+")) if "+" in word else ()


def each(record: OfferRecord, amount: float | None) -> float | None:
    """An amount of the whole instance per accelerator; of a part of a card, its own."""
    return None if amount is None else amount / max(record.accelerator_count, 1.0)


def per_accelerator(record: OfferRecord) -> float | None:
    """Price of one whole accelerator per hour, USD; for a slice the price per whole-card equivalent."""
    if record.price_usd_per_hour is None or record.accelerator_count <= 0:
        return None
    return record.price_usd_per_hour / record.accelerator_count


def total_memory(record: OfferRecord) -> float | None:
    """GiB of the whole instance; of a slice its own."""
    if record.memory_gib_per_accelerator is None:
        return None
    return record.memory_gib_per_accelerator * max(record.accelerator_count, 1.0)


def price_change(record: OfferRecord) -> float | None:
    """Share by which the price last moved; None where it never did."""
    if not record.previous_price_usd_per_hour or record.price_usd_per_hour is None:
        return None
    return record.price_usd_per_hour / record.previous_price_usd_per_hour - 1.0


def price_per_pflop(facts: Facts) -> float | None:
    """USD per hour for a dense BF16 PFLOP/s, by the data sheet."""
    price, card = per_accelerator(facts.record), facts.card
    if price is None or card is None or not card.bf16_tflops:
        return None
    return price / card.bf16_tflops * 1000.0


def of_record(name: str) -> Callable[[Facts], Any]:
    """Reader of a field of the offer."""
    return Source("record", name)


def of_card(name: str) -> Callable[[Facts], Any]:
    """Reader of a field of the accelerator's data sheet."""
    return Source("card", name)


def of_terms(name: str) -> Callable[[Facts], Any]:
    """Reader of a field of the provider's billing terms."""
    return Source("terms", name)


def text(name: str, label: str, help: str, group: Group, **more: Any) -> Column:
    """A column of words, read from the offer unless `value` says otherwise."""
    return Column(name=name, label=label, help=help, group=group, **{"value": of_record(name), **more})


def number(name: str, label: str, help: str, group: Group, unit: str = "", **more: Any) -> Column:
    """A column of numbers with a range filter, read from the offer unless `value` says otherwise."""
    given = {"value": of_record(name), "kind": "number", "format": "number", "filter": "range", **more}
    return Column(name=name, label=label, help=help, group=group, unit=unit, **given)


def run_column(name: str, label: str, help: str, **more: Any) -> Column:
    """A column that the estimates of a training run fill."""
    return Column(name=name, label=label, help=help, group="run", **{"value": None, **more})
