"""Gcore: cards of the public page, one accelerator each, in EUR. "From" is a lower bound and is marked so.

behaviour P21. A card without the words "per hour" beside its price is refused: the page also names monthly prices.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.domain.errors import ShapeDrift
from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._pages import LOWER_BOUND, blocks, lines_of, price_in
from app.providers._reading import Harvest, Refused
from app.providers.card import DAY, ProviderCard
from app.providers.port import Http, Payload, Settings

_URL = "https://gcore.com/cloud/ai-gpu"
# A heading that is an accelerator and nothing else: "L40S", "NVIDIA H100 SXM5", "GB200 NVL72".
_CARD = re.compile(r"(?:NVIDIA )?(?:GB|[ABHLV])\d{2,3}S?(?: (?:SXM\d?|PCIe|NVL\d*|\d+ ?GB))*")
_REACH = 8

CARD = ProviderCard(
    slug="gcore",
    name="Gcore",
    source_kind="page",
    kind="list_price",
    homepage=_URL,
    interval_s=DAY,
    terms_note=N_(
        "Read from the public page where robots.txt allows; prices “from”, in EUR without VAT, no stock."
    ),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """The page."""
    return Payload((await http.page(_URL),))


def parse(payload: Payload) -> Parsed:
    """One on-demand offer a card.

    Raises:
        ShapeDrift: no card is on the page.
    """
    harvest = Harvest("gcore", source="gcore", url=_URL)
    cards = [[name, *text[:_REACH]] for name, text in blocks(lines_of(payload.part("page")), _CARD)]
    if not cards:
        raise ShapeDrift("page: no accelerator")
    harvest.each(cards, lambda card: _offer(harvest, card), nothing="no price")
    return harvest.parsed(payload)


def _offer(harvest: Harvest, card: list[str]) -> Iterator[ScrapedOffer]:
    price = price_in(card[1:])
    if price is None:
        return
    if not price.hourly:
        raise Refused("a price without its unit")
    yield harvest.offer(
        instance_type=card[0],
        accelerator_name=card[0],
        accelerator_count=1,
        region="global",
        purchase_option="on_demand",
        price_per_hour=price.amount,
        currency=price.currency,
        price_basis="accelerator-hour, a lower bound" if price.least else "accelerator-hour",
        flags=(LOWER_BOUND,) if price.least else (),
    )
