"""The methods page says what the code does, from the code."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from app.catalog import load_catalog
from app.domain.errors import BadInput
from app.market.accuracy.publish import RESULTS, figures_of, publish
from app.market.methods import methods, read_results
from app.training import rent_or_buy
from app.training.fit import VERDICTS


def test_every_constant_has_a_range_and_a_reason() -> None:
    for chapter in methods().chapters:
        assert chapter.assumptions
        for item in chapter.assumptions:
            assert item.low <= item.value <= item.high, item.name
            assert item.source, item.name


def test_spot_and_rent_or_buy_constants_are_shown() -> None:
    shown = {item.name for chapter in methods().chapters for item in chapter.assumptions}
    assert {"spot.stops", "spot.notice_s", "restart.detect_s"} <= shown
    assert {item.name for item in rent_or_buy.ASSUMPTIONS} <= shown


def test_every_verdict_is_defined() -> None:
    assert tuple(methods().verdicts) == VERDICTS


def test_peers_are_listed_with_their_source_best_first() -> None:
    for peers in (methods().peers, methods().time_peers):
        medians = [float(row["median_abs_error"]) for row in peers]
        assert medians == sorted(medians)
        assert all(row["source"] for row in peers)


def test_published_figures_hold_no_rows() -> None:
    scored = {
        "rows": 2,
        "predictions": [1],
        "groups": {"a": {"median_abs_error": 0.123456}},
        "whole_runs": {"predictions": []},
    }
    assert figures_of(scored) == {"rows": 2, "groups": {"a": {"median_abs_error": 0.1235}}, "whole_runs": {}}


def test_the_accuracy_table_was_generated() -> None:
    names = [item.name for item in methods().accuracy]
    assert {"memory", "throughput", "names"} <= set(names)
    assert methods().scored_at is not None
    assert "predictions" not in RESULTS.read_text(encoding="utf-8")


def test_a_folder_without_cases_is_refused_and_one_file_is_enough(tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        publish(tmp_path, date(2026, 11, 30), load_catalog(), tmp_path / "results.json")
    (tmp_path / "gpu_name_cases.csv").write_text(
        "raw,provider_hint,memory_hint_gb,expected_key\nNVIDIA H200,,141,h200-sxm-141gb\n", encoding="utf-8"
    )
    results = tmp_path / "results.json"
    publish(tmp_path, date(2026, 11, 30), load_catalog(), results)
    accuracy, scored_at = read_results(results)
    assert scored_at == "2026-11-30"
    assert [item.name for item in accuracy] == ["names"]
    assert json.loads(results.read_text(encoding="utf-8"))["scores"]["names"]["rows"] == 1


@pytest.mark.shared
def test_the_published_scores_are_those_of_the_code_today(shared_dir: Path, tmp_path: Path) -> None:
    """Run `python -m app.market.accuracy.publish ../shared/cases` where this fails."""
    fresh = publish(shared_dir / "cases", date(2026, 11, 30), load_catalog(), tmp_path / "results.json")[
        "scores"
    ]
    published = json.loads(RESULTS.read_text(encoding="utf-8"))["scores"]
    assert published.keys() - fresh.keys() <= {"memory, constants refitted without the source scored"}
    assert fresh.keys() <= published.keys()
    for name in ("memory", "memory oracle", "throughput"):
        assert fresh[name]["median_abs_error"] == pytest.approx(
            published[name]["median_abs_error"], abs=0.005
        )
        assert fresh[name]["p90_abs_error"] == pytest.approx(published[name]["p90_abs_error"], abs=0.02)
    assert fresh["names"] == published["names"]
