"""Throughput accuracy: the bars that the speed model must clear on published runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.catalog import load_catalog
from app.domain.errors import BadInput
from app.market.accuracy.throughput import score

HEADER = (
    "id,model,params,layers,hidden,seq_len,micro_batch,global_batch,gpu,gpu_count,nodes,intra_node_link,"
    "internode_fabric_gbps,precision,sharding,activation_checkpointing,method,tokens_per_s_per_gpu,mfu_percent,"
    "framework,source,quality,kind,group\n"
)
ROW = (
    "{id},llama2-7b,6738000000,32,4096,4096,1,128,{gpu},8,1,NVLink4-NVSwitch,,bf16,FSDP-full,full,pretrain,"
    "{rate},{mfu},torchtitan,a paper,A,{kind},mine\n"
)


@pytest.fixture(scope="module")
def report(shared_dir: Path) -> dict[str, Any]:
    return score(shared_dir / "cases" / "throughput_measured.csv", load_catalog())


def written(folder: Path, *rows: dict[str, str]) -> Path:
    path = folder / "cases.csv"
    filled = [
        {"id": "a", "gpu": "H100-SXM", "rate": "8000", "mfu": "", "kind": "bench", **row} for row in rows
    ]
    path.write_text(HEADER + "".join(ROW.format(**row) for row in filled), encoding="utf-8")
    return path


@pytest.mark.shared
def test_published_rates_are_met_within_the_promised_error(report: dict[str, Any]) -> None:
    assert report["scored"] > 0.9 * report["rows"]
    assert report["median_abs_error"] <= 0.07
    assert report["p90_abs_error"] <= 0.24
    assert report["band_coverage"] >= 0.8


@pytest.mark.shared
def test_every_accelerator_beats_the_flat_rule(report: dict[str, Any]) -> None:
    flat = report["flat_40_mfu"]["groups"]
    for name, found in report["groups"].items():
        if name.startswith("accelerator ") and found["rows"] >= 5:
            assert found["median_abs_error"] < flat[name]["median_abs_error"], name


@pytest.mark.shared
def test_the_faster_of_two_configurations_is_told_right(report: dict[str, Any]) -> None:
    assert report["order"]["pairs"] > 1000
    assert report["order"]["share"] >= 0.9


@pytest.mark.shared
def test_whole_runs_are_met_within_a_fifth(report: dict[str, Any]) -> None:
    assert report["whole_runs"]["rows"] >= 20
    assert report["whole_runs"]["median_abs_error"] <= 0.2


@pytest.mark.shared
def test_every_row_is_scored_or_has_a_reason(report: dict[str, Any]) -> None:
    assert report["scored"] + sum(report["skipped"].values()) == report["rows"]
    assert len(report["not_scored"]) + report["whole_runs"]["rows"] + report["scored"] == report["rows"]


def test_a_row_with_only_mfu_is_scored_by_it(tmp_path: Path) -> None:
    rate, share = score(written(tmp_path, {}, {"id": "b", "rate": "", "mfu": "37.4"}), load_catalog())[
        "predictions"
    ]
    assert rate["predicted"] == share["predicted"]
    assert share["measured"] == pytest.approx(8000, rel=0.1)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"gpu": "Z900"}, "accelerator 'Z900' is not in the catalog"),
        ({"kind": "ratio"}, "not a steady rate or a whole run"),
        ({"rate": ""}, "no token rate and no MFU"),
        ({"rate": "fast"}, "tokens_per_s_per_gpu is not one number (given: 'fast')"),
        ({"rate": "-1"}, "tokens_per_s_per_gpu must be above 0 (given: -1)"),
    ],
)
def test_a_row_that_cannot_be_taken_says_why(tmp_path: Path, row: dict[str, str], reason: str) -> None:
    found = score(written(tmp_path, {"id": "good"}, row), load_catalog())
    assert found["scored"] == 1
    assert found["not_scored"] == {"a": reason}
    assert found["skipped"] == {reason: 1}


def test_a_file_without_a_needed_column_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("id,model\n1,x\n", encoding="utf-8")
    with pytest.raises(BadInput, match="no column 'params'"):
        score(path, load_catalog())


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        score(tmp_path / "none.csv", load_catalog())


def test_an_empty_file_of_cases_scores_nothing(tmp_path: Path) -> None:
    found = score(written(tmp_path), load_catalog())
    assert found["rows"] == 0 and found["median_abs_error"] is None


BLANK_NODES = ROW.replace("{gpu},8,1,", "{gpu},64,,").replace("NVSwitch,,", "NVSwitch,400,")
STATED_NODES = BLANK_NODES.replace("{gpu},64,,", "{gpu},64,8,")


def test_blank_nodes_are_whole_boards(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    cells = {"gpu": "H100-SXM", "rate": "8000", "mfu": "", "kind": "bench"}
    path.write_text(
        HEADER + BLANK_NODES.format(id="a", **cells) + STATED_NODES.format(id="b", **cells), encoding="utf-8"
    )
    blank, stated = score(path, load_catalog())["predictions"]
    assert blank["predicted"] == stated["predicted"]


def test_nodes_that_no_whole_boards_fill_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    row = BLANK_NODES.replace("{gpu},64", "{gpu},60")
    path.write_text(
        HEADER + row.format(id="a", gpu="H100-SXM", rate="1", mfu="", kind="bench"), encoding="utf-8"
    )
    assert score(path, load_catalog())["not_scored"] == {"a": "nodes is not given"}


@pytest.mark.parametrize(
    "change",
    [
        ("full,pretrain", " FULL , Pre-Training "),
        ("FSDP-full", "fsdp_full"),
        ("bf16", "BF-16"),
        ("torchtitan", "TorchTitan"),
        ("NVLink4-NVSwitch", "nvlink4_nvswitch"),
        (",A,", ",a,"),
    ],
)
def test_a_cell_in_another_spelling_changes_no_rate(tmp_path: Path, change: tuple[str, str]) -> None:
    cells = {"gpu": "H100-SXM", "rate": "8000", "mfu": "", "kind": "bench"}
    path = tmp_path / "cases.csv"
    rows = ROW.format(id="a", **cells) + ROW.format(id="b", **cells).replace(*change)
    path.write_text(HEADER + rows, encoding="utf-8")
    one, other = score(path, load_catalog())["predictions"]
    assert (one["predicted"], one["quality"]) == (other["predicted"], other["quality"])


def test_a_method_that_nobody_knows_is_refused_not_taken_for_full(tmp_path: Path) -> None:
    cells = {"gpu": "H100-SXM", "rate": "8000", "mfu": "", "kind": "bench"}
    path = tmp_path / "cases.csv"
    path.write_text(HEADER + ROW.format(id="a", **cells).replace("pretrain", "distil"), encoding="utf-8")
    assert list(score(path, load_catalog())["not_scored"]) == ["a"]


@pytest.mark.parametrize("kind", ["bench", "total"])
@pytest.mark.parametrize("nonsense", ["0", "-1", "0.5", "1e15", "many", "37,4", "n/a", "²"])
def test_nonsense_in_any_cell_is_a_reason_or_a_rate_and_never_a_crash(
    tmp_path: Path, nonsense: str, kind: str
) -> None:
    filled = dict(zip(HEADER.strip().split(","), BLANK_NODES.strip().split(","), strict=True))
    cells = {"id": "", "gpu": "H100-SXM", "rate": "8000", "mfu": "", "kind": kind}
    good = {name: cell.format(**cells) for name, cell in filled.items()} | {"total_tokens_b": "100"}
    rows = [good | {name: nonsense, "id": name} for name in good if name != "id"]
    path = tmp_path / "cases.csv"
    path.write_text(
        "\n".join(",".join(f'"{cell}"' for cell in row) for row in ([*good], *([*r.values()] for r in rows))),
        encoding="utf-8",
    )
    found = score(path, load_catalog())
    assert found["rows"] == len(rows)
    predictions = [*found["predictions"], *found["whole_runs"]["predictions"]]
    assert len(predictions) + len(found["not_scored"]) == len(rows)
    assert all(0 <= row["predicted"] < float("inf") for row in predictions)
