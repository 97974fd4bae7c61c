"""The score of name resolution."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.catalog import load_catalog
from app.domain.errors import BadInput
from app.market.accuracy.names import score

HEADER = "raw,provider_hint,memory_hint_gb,expected_key,note\n"


def cases(folder: Path, text: str) -> Path:
    path = folder / "cases.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_wrong_key_is_told_apart_from_a_cautious_answer(tmp_path: Path) -> None:
    path = cases(
        tmp_path,
        HEADER
        + "NVIDIA H100 PCIe,,,h100-pcie-80gb,\nNVIDIA L4,,,l40-48gb,\nA100,,80,a100-sxm4-80gb,\nH100,,,ambiguous,\n",
    )
    found = score(path, load_catalog())
    assert (found["rows"], found["exact"], found["wrong"], found["cautious"]) == (4, 2, 1, 1)
    assert found["mistakes"] == [
        {"raw": "NVIDIA L4", "expected": "l40-48gb", "got": "l4-24gb"},
        {"raw": "A100", "expected": "a100-sxm4-80gb", "got": "ambiguous"},
    ]


def test_a_slice_counts_as_no_whole_card(tmp_path: Path) -> None:
    found = score(cases(tmp_path, HEADER + "g6f.large,aws,,unknown,\n"), load_catalog())
    assert found["exact"] == 1


def test_a_file_that_cannot_be_scored_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no column 'memory_hint_gb'"):
        score(cases(tmp_path, "raw,provider_hint\n"), load_catalog())


def test_one_memory_that_is_no_number_costs_its_row_and_not_the_file(tmp_path: Path) -> None:
    text = HEADER + "L4,,much,l4-24gb,\nL4, AWS ,n/a,L4-24GB,\n"
    found = score(cases(tmp_path, text), load_catalog())
    assert (found["rows"], found["exact"]) == (2, 1)
    assert found["not_scored"] == {"row 1": "memory_hint_gb is not one number (given: 'much')"}


def test_a_missing_file_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        score(tmp_path / "gone.csv", load_catalog())


@pytest.mark.shared
def test_the_collected_cases_hold_no_wrong_key_and_97_percent_exact(shared_dir: Path) -> None:
    found = score(shared_dir / "cases" / "gpu_name_cases.csv", load_catalog())
    assert found["rows"] >= 429
    assert found["wrong"] == 0, found["mistakes"]
    assert found["exact"] / found["rows"] >= 0.97, found["mistakes"]
