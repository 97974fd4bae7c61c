"""Settings, from the environment (`RACKRATE_…`) or an `.env` file. Read at the top only and handed down as values."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from dotenv import dotenv_values
from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

PREFIX = "RACKRATE_"
VAR = Path(__file__).resolve().parents[1] / "var"
"""Beside the code, so that a clone keeps its own data and leaves nothing behind when it is deleted."""


class Settings(BaseSettings):
    """Everything that can be set; each field is the environment variable `RACKRATE_<FIELD>`."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_file=".env", extra="ignore", frozen=True)

    database_url: str = Field(
        f"sqlite:///{VAR / 'rackrate.sqlite3'}", description="sqlite:///file or postgresql://…"
    )
    host: str = Field("127.0.0.1", description="Address that `serve` listens on")
    port: int = Field(8000, ge=0, le=65535, description="Port that `serve` listens on; 0 takes a free one")
    refresh: bool = Field(True, description="Refresh prices in the background while serving on SQLite")
    sources_off: str = Field("", description="Sources that are never asked: slugs, separated by commas")
    contact: str = Field("", description="Address that providers may write to; part of the user agent")
    via: str | None = Field(None, description="Send every request as {via}/{host}/{path}: a caching proxy")
    http_cache: Path = Field(VAR / "http", description="Folder for kept answers of providers")
    board_poll_s: float = Field(2.0, gt=0, le=3600, description="Seconds between looks for new prices")
    max_body_bytes: int = Field(262_144, ge=1024, description="Largest request body that is accepted")
    keep_changes_days: int = Field(
        90, ge=1, description="Days for which every price change is kept; then the last of each day"
    )
    keep_prices_days: int = Field(1095, ge=1, description="Days for which prices and daily lows are kept")
    keep_withdrawn_days: int = Field(180, ge=1, description="Days after which a withdrawn offer is forgotten")
    keep_runs_days: int = Field(60, ge=1, description="Days for which scrape runs and closed holds are kept")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="What is logged")
    log_json: bool = Field(False, description="Log lines as JSON")

    @property
    def off(self) -> frozenset[str]:
        """Slugs of the sources that are never asked."""
        return frozenset(slug.strip().lower() for slug in self.sources_off.split(",") if slug.strip())

    @property
    def keep_days(self) -> Mapping[str, int]:
        """Days for which what is kept: changes, prices, withdrawn offers, runs."""
        names = ("changes", "prices", "withdrawn", "runs")
        return {name: getattr(self, f"keep_{name}_days") for name in names}


def provider_keys() -> Mapping[str, str]:
    """Keys of providers by variable: from the environment, else from `.env`; empty ones are not given."""
    given = {**dotenv_values(".env"), **os.environ}
    return {name: value for name, value in given.items() if value}
