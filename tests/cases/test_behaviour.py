"""Every collected case of comparable catalogs has a test that names it, in its name or in its docstring.

The cases stand in `../shared/cases/behaviour.md`. A test says which it answers as `test_p04_…` or as
`\"""Behaviour P04, P31.\"""`; so the case is found wherever its rule lives.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
_IN_NAME = re.compile(r"(?<=_)[gprfun]\d\d(?=_)")
_IN_DOCSTRING = re.compile(r"\b[GPRFUN]\d\d\b")


def named_cases() -> dict[str, list[str]]:
    """Case → the tests that name it."""
    found: dict[str, list[str]] = {}
    for file in sorted(TESTS.rglob("test_*.py")):
        for test in _tests_of(file):
            named = {case.upper() for case in _IN_NAME.findall(test.name)}
            told = ast.get_docstring(test) or ""
            for case in named | (
                set(_IN_DOCSTRING.findall(told)) if told.startswith("Behaviour ") else set()
            ):
                found.setdefault(case, []).append(f"{file.relative_to(TESTS)}::{test.name}")
    return found


def _tests_of(file: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node


def test_a_name_and_a_docstring_both_name_a_case() -> None:
    named = named_cases()
    assert (
        "cases/test_behaviour_names.py::test_g03_h200_of_aws_is_found_by_type_whatever_the_name_says"
        in named["G03"]
    )
    assert any(test.startswith("providers/test_mithril.py::") for test in named["P04"])


@pytest.mark.shared
def test_every_case_of_the_list_has_a_test_and_every_named_case_is_in_the_list(shared_dir: Path) -> None:
    listed = set(
        re.findall(
            r"^\| ([GPRFUN]\d\d) \|", (shared_dir / "cases" / "behaviour.md").read_text(), re.MULTILINE
        )
    )
    assert len(listed) > 60
    assert sorted(listed - set(named_cases())) == [], "cases without a test"
    assert sorted(set(named_cases()) - listed) == [], "named, but not in the list"
