"""The rules of the house that a machine can check."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
APP_FILES = sorted((ROOT / "app").rglob("*.py"))


def tracked_files() -> list[str]:
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return listing.stdout.splitlines()


@pytest.mark.parametrize("path", APP_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_room_stays_small_enough_to_read(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 300
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno - node.lineno < 50, f"{node.name} is longer than 50 lines"


@pytest.mark.parametrize("path", APP_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_and_public_name_says_what_it_is(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if tree.body:
        assert ast.get_docstring(tree), "the module has no docstring"
    for node in tree.body:
        if isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        ) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{node.name} has no docstring"


def test_locks_hold_hashes_and_no_addresses() -> None:
    for name in ("requirements.lock", "requirements-dev.lock"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert "://" not in text
        pins = re.findall(r"^[\w.\[\]-]+==\S+", text, re.MULTILINE)
        assert len(pins) > 40
        assert text.count("--hash=sha256:") >= len(pins)


def test_no_committed_file_is_large_or_names_this_machine() -> None:
    home = str(ROOT.parent) + "/"
    for name in tracked_files():
        path = ROOT / name
        if not path.is_file():
            continue
        assert path.stat().st_size < 3_000_000, name
        if ROOT.parent != Path("/"):
            assert home.encode() not in path.read_bytes(), f"{name} names a path of this machine"


def test_the_readme_shows_exactly_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\./run \w+$", readme, re.MULTILINE) == ["./run serve", "./run test"]
