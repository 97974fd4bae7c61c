"""Tables of cases are read however they are spelled; what can be read two ways is refused by its column's name."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import BadInput
from app.market.accuracy.cells import begins, figure, has, names, quality_of, read_table, word


def table(folder: Path, text: str) -> list[dict[str, str]]:
    path = folder / "cases.csv"
    path.write_text(text, encoding="utf-8")
    return read_table(path)[1]


@pytest.mark.parametrize(
    "text",
    ["", "  ", "n/a", "N/A (1 GPU)", "na", "None", "?", "-", "—", "Unknown", "nan", "not stated", None],
)
def test_a_word_for_nothing_is_unknown_and_never_zero(text: str | None) -> None:
    assert figure({"x": text}, "x") is None
    assert word({"x": text}, "x") == ""


@pytest.mark.parametrize(
    ("text", "column", "value"),
    [
        ("8,192", "seq_len", 8192),
        ("8k", "seq_len", 8192),
        ("12K", "tokens_per_s_per_gpu", 12000),
        ("2048 (packed)", "seq_len", 2048),
        ("~512", "seq_len", 512),
        ("1e-3", "x", 1e-3),
        ("1,234,567.5", "x", 1234567.5),
        ("70B", "params", 70e9),
        ("8.03 B", "params_b", 8.03),
        ("1.4T", "total_tokens_b", 1400),
        ("62756 MiB", "measured_peak_gib", 62756 / 1024),
        ("80 GB", "gpu_mem_gib", 80),
        ("-5", "x", -5),
        (".5", "x", 0.5),
    ],
)
def test_a_number_is_read_with_what_stands_behind_it(text: str, column: str, value: float) -> None:
    assert figure({column: text}, column) == pytest.approx(value)


@pytest.mark.parametrize(
    "text",
    ["8,0303", "37,4", "1.234,5", "1,23,456", "10-32 (cloud)", "2 x 200", "many", "inf", "1e30", "1.2.3"],
)
def test_what_is_not_one_number_is_refused_by_the_name_of_its_column(text: str) -> None:
    with pytest.raises(BadInput, match="peak") as refused:
        figure({"peak": text}, "peak")
    assert refused.value.field == "peak"
    assert repr(text) in refused.value.message


@given(st.integers(0, 10**15))
def test_grouping_thousands_changes_no_number(value: int) -> None:
    assert figure({"x": f"{value:,}"}, "x") == value


@given(st.text(max_size=20))
def test_any_cell_is_a_number_unknown_or_refused(text: str) -> None:
    try:
        value = figure({"x": text}, "x")
    except BadInput as error:
        assert error.field == "x"
    else:
        assert value is None or abs(value) < 1e18


def test_headers_and_cells_lose_their_capitals_and_padding(tmp_path: Path) -> None:
    assert table(tmp_path, " Seq Len ;GPU-Count\n 8 ; x y \n") == [{"seq_len": "8", "gpu_count": "x y"}]


def test_a_column_that_writes_decimal_commas_is_read_throughout(tmp_path: Path) -> None:
    rows = table(tmp_path, "peak;tokens\n37,4;8,192\n40,513;16,384\n")
    assert [figure(row, "peak") for row in rows] == [37.4, 40.513]
    assert [figure(row, "tokens") for row in rows] == [8192, 16384]


def test_points_and_decimal_commas_in_one_column_are_not_guessed_at(tmp_path: Path) -> None:
    rows = table(tmp_path, "peak;x\n37,4;\n40.5;\n")
    with pytest.raises(BadInput):
        figure(rows[0], "peak")
    assert figure(rows[1], "peak") == 40.5


def test_every_row_keeps_a_name_of_its_own(tmp_path: Path) -> None:
    assert [row["id"] for row in table(tmp_path, "id,x\nA,1\nA,2\n,3\n")] == ["A", "A (row 2)", "row 3"]


def test_short_and_long_rows_are_filled_and_cut(tmp_path: Path) -> None:
    assert table(tmp_path, "a,b\n1\n1,2,3\n") == [{"a": "1", "b": ""}, {"a": "1", "b": "2"}]


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="two columns seq_len"):
        table(tmp_path, "seq_len,Seq Len\n1,2\n")


def test_words_are_compared_without_spaces_hyphens_and_underscores() -> None:
    assert has("DeepSpeed ZeRO_3", "zero-3") and begins("Full Shard", "full_shard")
    assert names("NVIDIA Deep-Learning_Examples", "deep learning examples")
    assert not names("torch fsdp", "hf")


@pytest.mark.parametrize(("text", "quality"), [("a", "A"), (" b ", "B"), ("", "B"), ("n/a", "B")])
def test_a_quality_is_a_capital(text: str, quality: str) -> None:
    assert quality_of({"quality": text}) == quality
