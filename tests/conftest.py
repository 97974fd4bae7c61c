"""Fixtures that every room shares."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.postgres import (
    engine,
    postgres_engine,
    postgres_server,
    postgres_url,
    sqlite_engine,
    sqlite_template,
)

__all__ = ["engine", "postgres_engine", "postgres_server", "postgres_url", "sqlite_engine", "sqlite_template"]


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The measured cases beside the checkout; tests that read them are skipped, with this reason, without them."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("reads ../shared, which is not beside this checkout")
    return folder
