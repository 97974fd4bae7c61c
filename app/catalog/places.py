"""Regions → country, continent, a name for people, and the market area."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where a region lies; None = unknown. `country` is ISO 3166 alpha-2, `area` a market area ("US East")."""

    country: str | None = None
    continent: str | None = None
    name: str | None = None
    area: str | None = None
