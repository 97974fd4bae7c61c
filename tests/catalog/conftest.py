"""Fixtures of the catalog's tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from app.catalog import Catalog, load_catalog
from app.catalog.files import DATA


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """The real catalog."""
    return load_catalog()


@pytest.fixture
def spoiled(tmp_path: Path) -> Callable[[str, str, str], Path]:
    """A copy of the catalog's folder with one text of one file replaced."""

    def spoil(file: str, old: str, new: str) -> Path:
        folder = tmp_path / "data"
        shutil.copytree(DATA, folder)
        path = folder / file
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{old!r} is not in {file}"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        return folder

    return spoil
