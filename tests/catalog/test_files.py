"""Tables are read strictly, and a complaint says where."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.catalog.files import Row, read_table, read_toml
from app.domain.errors import CatalogError


def write(folder: Path, text: str) -> Path:
    path = folder / "cards.csv"
    path.write_text(text, encoding="utf-8")
    return path


def row(**cells: str) -> Row:
    return Row("cards.csv", 7, cells)


def test_a_blank_number_is_unknown_and_never_zero() -> None:
    assert row(memory="").number("memory") is None
    assert row(memory="0").number("memory") == 0


@pytest.mark.parametrize("text", ["eight", "-1", "nan", "inf", "1e999"])
def test_a_bad_number_names_file_line_and_column(text: str) -> None:
    with pytest.raises(CatalogError, match=r"cards\.csv, line 7, column memory"):
        row(memory=text).number("memory")


@pytest.mark.parametrize(
    ("reader", "text"),
    [
        ("required", ""),
        ("positive", "0"),
        ("integer", "1.5"),
        ("flag", "yes"),
        ("flag", ""),
        ("optional_flag", "no"),
    ],
)
def test_every_reader_refuses_what_it_cannot_read(reader: str, text: str) -> None:
    with pytest.raises(CatalogError, match="line 7, column cell"):
        getattr(row(cell=text), reader)("cell")


def test_a_choice_must_be_one_of_the_options() -> None:
    assert row(tier="consumer").choice("tier", ("consumer", "workstation")) == "consumer"
    with pytest.raises(CatalogError, match="'toy' is none of consumer, workstation"):
        row(tier="toy").choice("tier", ("consumer", "workstation"))


def test_a_list_is_parted_at_semicolons() -> None:
    assert row(flags="a;b;").words("flags") == ("a", "b")
    assert row(flags="").words("flags") == ()


def test_the_columns_must_be_the_ones_that_are_expected(tmp_path: Path) -> None:
    path = write(tmp_path, "key,memory\na,1\n")
    assert [r.cells for r in read_table(path, ("key", "memory"))] == [{"key": "a", "memory": "1"}]
    with pytest.raises(CatalogError, match=r"cards\.csv, line 1: the columns must be key,size"):
        list(read_table(path, ("key", "size")))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("key,memory\na,1\nb\n", "line 3: 1 cells where 2 are due"),
        ("key,memory\na, 1\n", "line 2, column memory: begins or ends with a blank"),
        ('key,memory\na,"1\n', "line 3"),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(CatalogError, match=said):
        list(read_table(write(tmp_path, text), ("key", "memory")))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=r"gone\.csv: cannot be read"):
        list(read_table(tmp_path / "gone.csv", ("key",)))
    with pytest.raises(CatalogError, match=r"gone\.toml: cannot be read"):
        read_toml(tmp_path / "gone.toml")


def test_a_syntax_error_in_toml_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "families.toml"
    path.write_text("a = 1\nb = \n", encoding="utf-8")
    with pytest.raises(CatalogError, match=r"families.toml: .*line 2"):
        read_toml(path)
