"""Rent or buy takes what the person gives, states what it assumes, and compares with live offers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.domain.errors import BadInput
from app.market.rent_or_buy import Decision, PurchaseCase, decide
from app.market.service import Market
from tests.web.site import make_market


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
    market = make_market(Path(tmp_path_factory.mktemp("own")))
    yield market
    market.engine.dispose()


def told(market: Market, **fields: Any) -> Decision:
    return decide(market, PurchaseCase.from_fields({"accelerator": "h100-sxm5-80gb", **fields}))


def test_it_compares_with_the_cheapest_offer_of_each_kind(market: Market) -> None:
    rents = {rent.kind: rent for rent in told(market).rents}
    assert rents["on_demand"].usd_per_hour == pytest.approx(23.92 / 8)
    assert rents["spot"].usd_per_hour == pytest.approx(11.96 / 8)
    assert rents["usual"].usd_per_hour >= rents["on_demand"].usd_per_hour
    assert rents["on_demand"].record is not None
    assert rents["on_demand"].record.instance_type == "gpu_8x_h100_sxm5"


def test_a_dearer_purchase_pays_back_later(market: Market) -> None:
    rent = told(market).rents[0]
    months = [side.break_even_months for side in (rent.low, rent.expected, rent.high)]
    assert None not in months
    assert months == sorted(months)  # type: ignore[type-var]


def test_what_is_not_given_is_shown_as_a_dated_default(market: Market) -> None:
    assumed = {item.name: item for item in told(market, pue="1.1").assumed}
    assert assumed["pue"].given
    assert assumed["pue"].value == 1.1
    assert not assumed["purchase_usd"].given
    assert assumed["purchase_usd"].confidence == "low"
    assert assumed["purchase_usd"].dated
    assert set(assumed) == set(PurchaseCase.model_fields) - {
        "accelerator",
        "utilisation",
        "rent_usd_per_hour",
    }


def test_every_figure_moves_the_answer(market: Market) -> None:
    base = told(market).rents[0].expected
    for name, value in {
        "utilisation": 0.4, "purchase_usd": 40_000, "host_share": 0.6, "kilowatts": 3, "pue": 2, "usd_per_kwh": 0.5,
        "idle_power": 0.9, "upkeep_rate": 0.2, "capital_rate": 0.2, "years": 2, "residual": 0.0,
    }.items():  # fmt: skip
        changed = told(market, **{name: value}).rents[0].expected
        assert changed.own_usd_per_hour > base.own_usd_per_hour, name


def test_ones_own_rent_comes_first_and_nothing_on_offer_is_said(market: Market) -> None:
    assert told(market, rent_usd_per_hour=9).rents[0].kind == "yours"
    nobody = told(market, accelerator="v100-sxm2-16gb")
    assert nobody.rents == ()
    assert "Nobody rents it out" in str(nobody.why)


def test_a_card_without_a_known_price_wants_one(market: Market) -> None:
    with pytest.raises(BadInput) as refused:
        told(market, accelerator="b300-sxm6-288gb")
    assert refused.value.field == "purchase_usd"
    assert told(market, accelerator="b300-sxm6-288gb", purchase_usd=50_000).own.price_usd == 50_000


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"accelerator": "warp-drive"}, "accelerator"), ({"utilisation": 0}, "utilisation"),
        ({"utilisation": 1.2}, "utilisation"), ({"purchase_usd": -5}, "purchase_usd"), ({"pue": 0.5}, "pue"),
        ({"rent_usd_per_hour": -1}, "rent_usd_per_hour"), ({"years": 0}, "years"), ({"residual": 2}, "residual"),
        ({"usd_per_kwh": "cheap"}, "usd_per_kwh"), ({"kilowatts": "nan"}, "kilowatts"), ({"bogus": 1}, "bogus"),
    ],
)  # fmt: skip
def test_a_figure_that_cannot_be_is_refused_by_its_name(
    market: Market, fields: dict[str, Any], field: str
) -> None:
    with pytest.raises(BadInput) as refused:
        told(market, **fields)
    assert refused.value.field == field
