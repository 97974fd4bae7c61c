"""What is accepted, held, refused or flagged. Pure decisions: no clock, no database.

Decisions of ours: a name that is no accelerator at all ("CPU", "1", "GPU (unspecified)") refuses the row; a real
card that the catalog does not know keeps the row, its accelerator unknown, and is listed as a reject too, so that
it gets a name. A price of zero means that no price is known. A held batch is believed when the next scrape agrees;
a source that answers with nothing is never believed on repetition: outages last for days, so only the operator can
release that. Only where a reseller's list names other providers all the same may one provider be sold out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from operator import attrgetter
from statistics import median
from typing import NamedTuple

from app.domain.figures import plain
from app.domain.money import effective_hourly
from app.domain.offer import PurchaseOption, ScrapedOffer
from app.domain.sentence import N_, Sentence
from app.providers.card import Kind

MOST_LOST = 0.20
"""Share of offers (or of known prices) that may vanish between two scrapes; lessons, calibrated on 12,012 pairs."""
MOVE = Decimal("1.5")
"""Factor by which a price may move, up or down; lessons, same calibration."""
SAME_PRICE = Decimal("0.01")
"""Two scrapes agree on a moved price within this share."""
MEDIAN_MOVE = 0.25
"""Share by which the median of a provider's prices may move without a note."""
LARGEST_PRICE = Decimal(1_000_000_000)
"""In any currency: three years of a large node upfront, in rupees, is tens of millions."""
_LARGEST_COUNT = 2**31 - 1

_CURRENCY = re.compile(r"[A-Z]{3}")
_NO_ACCELERATOR = re.compile(
    r"\d*x?|(?:no |any )?gpus?|(?:v?cpu|gpu)\W.*(?:unspecified|only|unknown)\W*|v?cpu.*|\(?(?:blank|unknown|none|null)\)?|n/?a\W?|-",
    re.IGNORECASE,
)
_TEXTS = attrgetter(
    "instance_type", "region", "zone", "tier", "native_id", "country", "source", "source_url", "licence"
)


class Standing(NamedTuple):
    """What matters of an offer when two scrapes are compared: price per hour with the upfront spread, in its own
    currency; None = unknown."""

    price: Decimal | None
    currency: str
    purchase_option: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """What to do with a batch. `reason` set = hold all of it (empty, shrunken, currency, moved), else
    hold only the offers in `held`. `flagged` = offers whose price moved and that are believed all the same."""

    reason: str | None
    why: Sentence | None
    held: frozenset[str] = frozenset()
    flagged: frozenset[str] = frozenset()

    @property
    def holds(self) -> bool:
        """Anything is held."""
        return self.reason is not None or bool(self.held)


def names_nothing(name: str) -> bool:
    """The text names no accelerator of any kind, so there is nothing that the catalog could learn."""
    return _NO_ACCELERATOR.fullmatch(name.strip()) is not None


def refusal(offer: ScrapedOffer) -> tuple[str, Sentence] | None:
    """(reason, detail) why a row cannot stand, or None. The accelerator count must be resolved already."""
    if not _is_count(offer.accelerator_count):
        return "bad_count", Sentence(N_("{count} accelerators"), {"count": plain(offer.accelerator_count)})
    if not _CURRENCY.fullmatch(offer.currency):
        return "bad_currency", Sentence(N_("{code} is not a currency code"), {"code": repr(offer.currency)})
    for amount in (offer.price_per_hour, offer.upfront):
        if amount is not None and not (amount.is_finite() and 0 <= amount < LARGEST_PRICE):
            return "bad_price", Sentence(N_("a price of {amount}"), {"amount": str(amount)})
    if offer.term_months is not None and not 0 < offer.term_months <= 1200:
        return "bad_term", Sentence(N_("a term of {count} months"), {"count": str(offer.term_months)})
    if max(offer.stock_units or 0, offer.max_nodes or 0) > _LARGEST_COUNT:
        told = {"units": str(offer.stock_units or "?"), "nodes": str(offer.max_nodes or "?")}
        return "bad_count", Sentence(N_("{units} in stock, {nodes} nodes"), told)
    if not (offer.provider and offer.instance_type):
        return "no_identity", Sentence(N_("provider or instance type is missing"))
    if "\0" in "".join(filter(None, _TEXTS(offer))):
        return "bad_text", Sentence(N_("a text with a zero byte"))
    return None


def standing_of(offer: ScrapedOffer) -> Standing:
    """The comparable part of a scraped offer."""
    price = effective_hourly(offer.price_per_hour, offer.upfront, offer.term_months)
    return Standing(price, offer.currency, offer.purchase_option)


def judge(
    before: Mapping[str, Standing],
    now: Mapping[str, Standing],
    kind: Kind,
    waiting: Mapping[str, Standing] | None,
    others_answer: bool = False,
) -> Judgement:
    """Compare a batch (offer id → standing) with what stands, and with the batch that is held already, if any.

    `others_answer`: a reseller's list holds other providers' offers all the same, so that one provider's may well be
    sold out and repetition is believed.
    """
    loss = _judge_loss(before, now, kind, waiting, others_answer)
    if loss is not None:
        return loss
    changed = {key for key in before.keys() & now.keys() if before[key].currency != now[key].currency}
    if changed and not (waiting and all(_same_currency(waiting, now, key) for key in changed)):
        return Judgement("currency", _currency_changed(len(changed)))
    return _judge_moves(before, now, kind, waiting or {})


def median_move(before: Mapping[str, Standing], now: Mapping[str, Standing]) -> float | None:
    """By what share the median on-demand price of a provider moved, where that is more than it should."""
    old, new = _median_price(before), _median_price(now)
    if old is None or new is None or abs(new / old - 1) <= MEDIAN_MOVE:
        return None
    return new / old - 1


def contradictions(offers: Mapping[str, tuple[ScrapedOffer, Standing]]) -> dict[str, str]:
    """Offer id → flag, where spot costs as much as on demand of the same tier (else of no tier) or a commitment costs
    more."""
    on_demand: dict[tuple[object, ...], Decimal] = {}
    for offer, standing in offers.values():
        if offer.purchase_option == "on_demand" and standing.price is not None:
            key = (*_machine(offer), offer.tier)
            on_demand[key] = min(standing.price, on_demand.get(key, standing.price))
    found = {}
    for offer_id, (offer, standing) in offers.items():
        if offer.purchase_option == "on_demand":
            continue
        machine = _machine(offer)
        usual = on_demand.get((*machine, offer.tier)) or on_demand.get((*machine, None))
        flag = usual and standing.price and _contradiction(offer.purchase_option, standing.price, usual)
        if flag:
            found[offer_id] = flag
    return found


def _judge_loss(
    before: Mapping[str, Standing],
    now: Mapping[str, Standing],
    kind: Kind,
    waiting: Mapping[str, Standing] | None,
    others_answer: bool,
) -> Judgement | None:
    lost = _lost(before, now, kind)
    if now and lost <= MOST_LOST:
        return None
    reason = "shrunken" if now else "empty"
    believable = bool(now) or (others_answer and bool(before))
    if believable and waiting is not None and _lost(waiting, now, kind) <= MOST_LOST:
        return None
    if not now:
        return Judgement(reason, _empty(len(before)))
    return Judgement(reason, _gone(len(before), len(now), f"{lost:.0%}"))


def _lost(before: Mapping[str, Standing], now: Mapping[str, Standing], kind: Kind) -> float:
    """Share of offers, or of prices, that are gone. Marketplaces' machines come and go: there only counts matter."""
    priced = {key for key, one in before.items() if one.price is not None}
    priced_now = {key for key, one in now.items() if one.price is not None}
    if kind == "list_price":
        rows, prices = len(before.keys() & now.keys()), len(priced & priced_now)
    else:
        rows, prices = len(now), len(priced_now)
    kept = min(rows / len(before) if before else 1.0, prices / len(priced) if priced else 1.0)
    return max(0.0, 1 - kept)


def _judge_moves(
    before: Mapping[str, Standing], now: Mapping[str, Standing], kind: Kind, waiting: Mapping[str, Standing]
) -> Judgement:
    moved = {key for key in before.keys() & now.keys() if _moved(before[key], now[key])}
    firm = {key for key in moved if kind == "list_price" and now[key].purchase_option != "spot"}
    held = frozenset(key for key in firm if not _same_price(waiting.get(key), now[key]))
    flagged = frozenset(moved - held)
    if not held:
        return Judgement(None, None, flagged=flagged)
    why = _prices_moved(len(held))
    most = len(held) > MOST_LOST * len(before)
    return Judgement("moved" if most else None, why, held, flagged)


def _moved(old: Standing, new: Standing) -> bool:
    if not old.price or not new.price or old.currency != new.currency:
        return False
    return new.price >= old.price * MOVE or old.price >= new.price * MOVE


def _same_price(waiting: Standing | None, now: Standing) -> bool:
    if waiting is None or waiting.price is None or now.price is None or waiting.currency != now.currency:
        return False
    return abs(waiting.price - now.price) <= SAME_PRICE * now.price


def _same_currency(waiting: Mapping[str, Standing], now: Mapping[str, Standing], key: str) -> bool:
    return key in waiting and waiting[key].currency == now[key].currency


def _median_price(batch: Mapping[str, Standing]) -> float | None:
    prices = [float(one.price) for one in batch.values() if one.price and one.purchase_option == "on_demand"]
    return median(prices) if prices else None


_machine = attrgetter("provider", "instance_type", "region", "native_id", "currency")


def _contradiction(option: PurchaseOption, price: Decimal, usual: Decimal) -> str | None:
    if option == "spot" and price >= usual:
        return "spot_above_on_demand"
    if option in ("reserved", "savings_plan") and price > usual:
        return "reserved_above_on_demand"
    return None


def _currency_changed(count: int) -> Sentence:
    return Sentence(
        "{n} offer changed its currency", {"n": f"{count:,}"},
        plural="{n} offers changed their currency", count=count,
    )  # fmt: skip


def _empty(before: int) -> Sentence:
    return Sentence(
        "an empty list, after {n} offer", {"n": f"{before:,}"},
        plural="an empty list, after {n} offers", count=before,
    )  # fmt: skip


def _gone(before: int, now: int, share: str) -> Sentence:
    return Sentence(
        "{n} offer after {before}: {share} of the offers or prices are gone",
        {"n": f"{now:,}", "before": f"{before:,}", "share": share},
        plural="{n} offers after {before}: {share} of the offers or prices are gone",
        count=now,
    )


def _prices_moved(count: int) -> Sentence:
    return Sentence(
        "{n} list price moved by a factor of {factor} or more", {"n": f"{count:,}", "factor": f"{MOVE}"},
        plural="{n} list prices moved by a factor of {factor} or more", count=count,
    )  # fmt: skip


def _is_count(count: float) -> bool:
    return 0 < count <= 100_000 and (count < 1 or count == int(count))
