"""Hyperstack: the public price page, for those without a key. The heading above a row decides what kind of price it is.

providers.md 19, behaviour P22. Prices are of one accelerator. A reservation names no term: it stays unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from app.domain.errors import ShapeDrift
from app.domain.offer import Parsed, PurchaseOption, ScrapedOffer
from app.domain.sentence import N_
from app.providers._pages import LOWER_BOUND, Price, lines_of, price_in
from app.providers._reading import Harvest, Refused
from app.providers.card import DAY, ProviderCard
from app.providers.port import Http, Payload, Settings

_URL = "https://www.hyperstack.cloud/gpu-pricing"
_SECTIONS: tuple[tuple[PurchaseOption, re.Pattern[str]], ...] = (
    ("on_demand", re.compile(r"on[- ]demand(?: gpus?| vms?)?(?: pricing)?", re.IGNORECASE)),
    ("reserved", re.compile(r"(?:gpu )?reserv(?:ations?|ed)(?: gpus?| vms?)?(?: pricing)?", re.IGNORECASE)),
    ("spot", re.compile(r"spot(?: gpus?| vms?)?(?: pricing)?", re.IGNORECASE)),
)
_OTHER_SECTION = re.compile(
    r"(?:storage|networking|public ip|volumes?|cpu.*|kubernetes)(?: pricing)?", re.IGNORECASE
)
_ROW = re.compile(r"(?:NVIDIA|AMD) \S.*")
# What stands between a name and its price in a row: memory, processors, host memory.
_FIGURE = re.compile(r"[\d.,]+(?: ?[A-Za-z]+)?|[–-]|N/A")
_REACH = 6

CARD = ProviderCard(
    slug="hyperstack_page",
    name="Hyperstack price page",
    source_kind="page",
    kind="list_price",
    homepage=_URL,
    interval_s=DAY,
    terms_note=N_("Read from the public page where robots.txt allows; per accelerator, no region, no stock."),
    covers=("hyperstack",),
)


class _Row(NamedTuple):
    option: PurchaseOption
    name: str
    text: list[str]


async def fetch(http: Http, settings: Settings) -> Payload:
    """The page."""
    return Payload((await http.page(_URL),))


def parse(payload: Payload) -> Parsed:
    """One offer a row of a section.

    Raises:
        ShapeDrift: no row stands under a heading that says its kind.
    """
    harvest = Harvest("hyperstack", source="hyperstack_page", url=_URL)
    rows = list(_rows(lines_of(payload.part("page"))))
    if not rows:
        raise ShapeDrift("page: no accelerator under a heading that says how it is bought")
    harvest.each(rows, lambda row: _offer(harvest, row), nothing="no price")
    return harvest.parsed(payload)


def _rows(lines: list[str]) -> Iterator[_Row]:
    option: PurchaseOption | None = None
    for index, line in enumerate(lines):
        told = next((kind for kind, words in _SECTIONS if words.fullmatch(line)), None)
        if told or _OTHER_SECTION.fullmatch(line):
            option = told
        elif option and _ROW.fullmatch(line):
            yield _Row(option, re.sub(r"^NVIDIA ", "", line), _cells(lines[index + 1 : index + 1 + _REACH]))


def _cells(following: list[str]) -> list[str]:
    """Figures and the text that ends them, which is the price; words of the page around are no cells."""
    figures = list(takewhile(_FIGURE.fullmatch, following))
    return following[: len(figures) + 1]


def _offer(harvest: Harvest, row: _Row) -> Iterator[ScrapedOffer]:
    price = price_in(row.text)
    if price is None:
        return
    memory = re.fullmatch(r"(\d+)(?: ?GB)?", row.text[0]) if len(row.text) > 1 else None
    yield harvest.offer(
        instance_type=f"1x {row.name}",
        accelerator_name=row.name,
        accelerator_count=1,
        memory_hint_gb=float(memory[1]) if memory else None,
        region="global",
        purchase_option=row.option,
        price_per_hour=_in_dollars(price).amount,
        price_basis="accelerator-hour, a lower bound" if price.least else "accelerator-hour",
        flags=(LOWER_BOUND,) if price.least else (),
    )


def _in_dollars(price: Price) -> Price:
    if price.currency != "USD":
        raise Refused("a price in another currency than the page's")
    return price
