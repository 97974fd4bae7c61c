"""Constants of time: complete, inside their ranges, each with a source."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from app.training.assumptions_cost import ASSUMPTIONS as COST
from app.training.assumptions_time import ASSUMPTIONS, BAND, DEFAULTS, FAMILIES, SOFTWARE, Constants, value_of
from app.training.rent_or_buy import ASSUMPTIONS as OWN

PRIORS = Path(__file__).parents[2] / "tools" / "throughput_priors.csv"


@pytest.mark.parametrize("one", (*ASSUMPTIONS, *COST, *OWN), ids=lambda one: one.name)
def test_every_constant_lies_in_its_range_and_says_why(one: object) -> None:
    assert one.low <= one.value <= one.high  # type: ignore[attr-defined]
    assert one.source and one.unit  # type: ignore[attr-defined]


def test_names_are_unique() -> None:
    names = [one.name for one in (*ASSUMPTIONS, *COST, *OWN)]
    assert len(names) == len(set(names))


def test_every_family_and_software_class_has_its_constants() -> None:
    assert len(DEFAULTS.gemm) == len(DEFAULTS.attention) == len(DEFAULTS.fp8) == len(FAMILIES)
    assert set(BAND) == set(SOFTWARE)
    assert all(low < 1.0 < high for low, high in BAND.values())


def test_every_fitted_constant_has_a_prior_that_no_fit_has_touched() -> None:
    with PRIORS.open(newline="") as file:
        priors = {row["name"]: row for row in csv.DictReader(file)}
    fitted = {one.name: one for one in ASSUMPTIONS if one.source.startswith("fit")}
    assert fitted.keys() == priors.keys()
    for name, row in priors.items():
        assert fitted[name].low <= float(row["value"]) <= fitted[name].high, name
        assert float(row["spread"]) > 0 and row["source"], name


def test_a_missing_constant_is_an_error() -> None:
    with pytest.raises(KeyError):
        Constants.of({"gemm.volta": 0.5})
    with pytest.raises(KeyError):
        value_of("no.such")
