"""The summary counts what it says it counts."""

from __future__ import annotations

from typing import Any

import pytest

from app.market.accuracy.summary import Scored, summarise


def row(identity: str, **changes: Any) -> Scored:
    values: dict[str, Any] = {
        "predicted": 11.0,
        "low": 9.0,
        "high": 12.0,
        "measured": 10.0,
        "groups": ("method full",),
    }
    return Scored(id=identity, **(values | changes))


def test_errors_are_shares_of_the_measured_value() -> None:
    result = summarise([row("a", predicted=10.5), row("b", predicted=8.0, low=7.0, high=9.0)], [])
    assert result["median_abs_error"] == pytest.approx(0.125)
    assert result["bias"] == pytest.approx(-0.075)
    assert result["within_10"] == pytest.approx(0.5)
    assert result["band_coverage"] == pytest.approx(0.5)


def test_headline_figures_are_of_quality_a_and_groups_of_all() -> None:
    result = summarise([row("a"), row("b", quality="B", predicted=20.0)], [])
    assert result["median_abs_error"] == pytest.approx(0.1)
    assert result["groups"]["method full"]["rows"] == 2
    assert result["groups"]["method full"]["median_abs_error"] == pytest.approx(0.55)


def test_tight_claims_neither_fit_nor_failure() -> None:
    rows = [
        row("a", outcome="oom", measured=None, verdict="fits"),
        row("b", outcome="oom", measured=None, verdict="tight"),
        row("c", outcome="fits", measured=None, verdict="does_not_fit"),
        row("d", outcome="measured", verdict="tight"),
        row("e", outcome="oom", measured=None, verdict="fits", quality="C"),
    ]
    result = summarise(rows, [])
    assert (result["false_fits"], result["oom_rows"], result["tight_oom"]) == (1, 2, 1)
    assert (result["false_oom"], result["fit_rows"], result["tight_fit"]) == (1, 2, 1)


def test_rows_left_out_are_counted_by_reason() -> None:
    result = summarise([row("a")], ["no length", "no length", "unknown method"])
    assert result["rows"] == 4
    assert result["skipped"] == {"no length": 2, "unknown method": 1}


def test_nothing_to_score_gives_unknown_and_not_zero() -> None:
    result = summarise([], ["no length"])
    assert result["median_abs_error"] is None
    assert result["band_coverage"] is None
