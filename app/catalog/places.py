"""Regions → country, continent, market area and a name for people; from a table, else from what the text says.

Public facts of the providers' region lists, in our own table. What no rule reads stays unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from app.catalog.files import Row, read_table

CONTINENTS = ("Africa", "Asia", "Europe", "North America", "Oceania", "South America")
AREAS = (
    "US East",
    "US Central",
    "US West",
    "Canada",
    "Europe",
    "APAC",
    "LATAM",
    "Middle East",
    "Africa",
)
STATE_COLUMNS = ("code", "name", "area")
COUNTRY_COLUMNS = ("code", "name", "continent", "area", "aliases")
REGION_COLUMNS = ("provider", "region", "country", "name", "area")
_LOOSE_CONTINENTS: Mapping[str, tuple[str, str | None]] = {
    "eu": ("Europe", "Europe"),
    "europe": ("Europe", "Europe"),
    "asia": ("Asia", None),
    "africa": ("Africa", "Africa"),
    "oceania": ("Oceania", "APAC"),
    "na": ("North America", None),
    "southamerica": ("South America", "LATAM"),
}
_DIRECTIONS = (
    ("east", "US East"),
    ("central", "US Central"),
    ("midwest", "US Central"),
    ("south", "US Central"),
    ("west", "US West"),
)
# RunPod and others: "US-TX-3", "EU-RO-1", "EUR-IS-2", "CA-MTL-1", "AP-JP-1", "OC-AU-1", "SEA-SG-1".
_CENTRE = re.compile(r"(?:eur?|ap|oc|sea|as|na|sa|me|af)-([a-z]{2})-\d+")
_US_CENTRE = re.compile(r"us-([a-z]{2})-\d+")
_NATIONAL_CENTRE = re.compile(r"([a-z]{2})-(?:[a-z]{3,}-)?\d+")
_SEVERAL = re.compile(r"/|\bor\b|\band\b|&|\+")
_ZONE = re.compile(r"-?[a-f]$|-dc\d+$")
# "us-east-1a" is another building in every account of AWS; only ids such as "use1-az1" mean the same to everybody.
_ACCOUNT_ZONES: Mapping[str, re.Pattern[str]] = {"aws": re.compile(r"[a-z]{2}(?:-[a-z]+)+-\d[a-z]")}
_CONTINENT_CODES = frozenset(("na", "eu", "as", "oc", "sa", "af", "an"))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a region lies; None = unknown. `country` is ISO 3166 alpha-2, `area` a market area ("US East")."""

    country: str | None = None
    continent: str | None = None
    name: str | None = None
    area: str | None = None


@dataclass(frozen=True, slots=True)
class _Country:
    code: str
    name: str
    continent: str
    area: str | None


class Places:
    """Finds places by provider and region code."""

    def __init__(
        self,
        countries: Mapping[str, _Country],
        names: Mapping[str, str],
        regions: Mapping[tuple[str, str], Place],
        states: Mapping[str, str],
    ) -> None:
        self._countries = countries
        self._names = names
        self._regions = regions
        self._states = states
        self._anywhere = _unanimous(regions)

    @property
    def continents(self) -> frozenset[str]:
        """Every continent of the list of countries."""
        return frozenset(country.continent for country in self._countries.values())

    def find(self, provider: str, region: str, country: str | None = None) -> Place:
        """The place of a region; a zone inside a listed region is that region. Where the text tells nothing, the
        country that the source states; nothing known stays unknown."""
        found = self._of_region(provider, region)
        if found.country is None and country:
            stated = self._place(country.upper(), None, None)
            return stated if stated.country else found
        return found

    def _of_region(self, provider: str, region: str) -> Place:
        low = " ".join(region.lower().split())
        if not low:
            return Place()
        for code in dict.fromkeys((low, _ZONE.sub("", low), low.replace(" ", ""))):
            if found := self._regions.get((provider, code)):
                return found
            if found := self._anywhere.get(code):
                return replace(found, name=self.country_name(found.country or ""))
        return self._from_text(low)

    def country_name(self, code: str) -> str:
        """A country's English name; an unlisted code as it stands."""
        country = self._countries.get(code.upper())
        return country.name if country else code

    def _from_text(self, low: str) -> Place:
        if low in _LOOSE_CONTINENTS:
            continent, area = _LOOSE_CONTINENTS[low]
            return Place(None, continent, None, area)
        if state := _US_CENTRE.fullmatch(low):
            return self._place("US", self._states.get(state.group(1)), None)
        if centre := _CENTRE.fullmatch(low):
            return self._place(centre.group(1).upper(), None, None)
        parts = [part.strip() for part in low.split(",")]
        if len(parts) > 2 and parts[-1] in _CONTINENT_CODES:
            parts.pop()
        if code := self._code(parts[-1]):
            name = parts[0].title() if parts[0] and self._code(parts[0]) != code else None
            return self._place(code, self._us_side(low) if code == "US" else None, name)
        national = _NATIONAL_CENTRE.fullmatch(low)
        code = next((group for group in national.groups() if group), "") if national else ""
        if code:
            return self._place(code.upper(), self._us_side(low) if code == "us" else None, None)
        return self._from_words(low)

    def _from_words(self, low: str) -> Place:
        """The one country that a word names ("norway_4_eu", "india-01"), or "us" at the start ("us-michigan")."""
        if _SEVERAL.search(low):
            return Place()
        if re.match(r"us(?![a-z])", low):
            return self._place("US", self._us_side(low), None)
        words = {word for word in re.split(r"[^a-z]+", low) if len(word) > 3 and word not in self._states}
        codes = {code for word in words if (code := self._names.get(word))}
        return self._place(codes.pop(), None, None) if len(codes) == 1 else Place()

    def _us_side(self, low: str) -> str | None:
        """The side of the United States that a text tells, by a state's name or a direction."""
        words = [word.strip() for word in re.split(r"[^a-z ]+", low)]
        state = next((self._states[word] for word in words if len(word) > 2 and word in self._states), None)
        return state or next((area for word, area in _DIRECTIONS if word in low), None)

    def _code(self, text: str) -> str | None:
        bare = text.upper()
        if bare in self._countries:
            return bare
        return self._names.get(text)

    def _place(self, code: str, area: str | None, name: str | None) -> Place:
        country = self._countries.get(code)
        if country is None:
            return Place()
        return Place(country.code, country.continent, name or country.name, area or country.area)


def common_zone(provider: str, zone: str | None) -> str | None:
    """A zone that means the same to every account; None for a name that each account reads differently (AWS)."""
    if zone and provider in _ACCOUNT_ZONES and _ACCOUNT_ZONES[provider].fullmatch(zone):
        return None
    return zone


def read_places(folder: Path) -> Places:
    """Countries and regions.

    Raises:
        CatalogError: malformed, a code or region twice, an unknown country, continent or area.
    """
    countries: dict[str, _Country] = {}
    names: dict[str, str] = {}
    for row in read_table(folder / "countries.csv", COUNTRY_COLUMNS):
        code = row.required("code")
        if code in countries or not re.fullmatch("[A-Z]{2}", code):
            raise row.fail("code", f"{code!r} is there twice or is no alpha-2 code")
        countries[code] = _Country(
            code, row.required("name"), row.choice("continent", CONTINENTS), _area(row)
        )
        for name in (row.text("name"), *row.words("aliases")):
            if names.setdefault(name.lower(), code) != code:
                raise row.fail("aliases", f"{name!r} already means {names[name.lower()]}")
    regions: dict[tuple[str, str], Place] = {}
    for row in read_table(folder / "regions.csv", REGION_COLUMNS):
        place = (row.required("provider"), row.required("region").lower())
        if place in regions:
            raise row.fail("region", "is there twice")
        country = countries[row.choice("country", tuple(countries))]
        regions[place] = Place(
            country.code, country.continent, row.required("name"), _area(row) or country.area
        )
    return Places(countries, names, regions, _states(folder))


def _states(folder: Path) -> dict[str, str]:
    """State codes and names of the United States in lower case → market area."""
    states = {}
    for row in read_table(folder / "us_states.csv", STATE_COLUMNS):
        area = row.choice("area", AREAS)
        states[row.required("code").lower()] = states[row.required("name").lower()] = area
    return states


def _area(row: Row) -> str | None:
    return row.choice("area", (*AREAS, "")) or None


def _unanimous(regions: Mapping[tuple[str, str], Place]) -> dict[str, Place]:
    """Region codes that mean the same country and area wherever they are used; the name is left to the country."""
    by_code: dict[str, set[Place]] = {}
    for (_, code), place in regions.items():
        by_code.setdefault(code, set()).add(replace(place, name=None))
    return {code: found.pop() for code, found in by_code.items() if len(found) == 1}
