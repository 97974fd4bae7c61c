"""The vocabulary of accelerator names: families, aliases, and which form factor a provider means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.catalog.accelerators import CONFIDENCES
from app.catalog.files import read_table, read_toml
from app.catalog.reading import letters_and_digits
from app.domain.accelerator import Accelerator
from app.domain.errors import CatalogError
from app.domain.units import gb_from_gib

MEMORY_TOLERANCE = 0.09
"""Share by which a stated size may miss every way of writing a card's memory (GB, GiB, ECC on)."""

_FIELDS = {"name", "pattern", "keys", "default", "unlisted_gb", "also_gb", "host_gb", "editions", "devices"}
ALIAS_COLUMNS = ("key", "provider", "spelling")
FACT_COLUMNS = ("provider", "family", "word", "memory_gb", "form_factor", "source", "confidence")


@dataclass(frozen=True, slots=True)
class Family:
    """Cards that share a name. See the head of `families.toml` for what each field means."""

    name: str
    pattern: re.Pattern[str]
    keys: tuple[str, ...]
    default: str | None
    unlisted_gb: tuple[float, ...]
    also_gb: tuple[float, ...]
    host_gb: tuple[float, ...]
    editions: tuple[tuple[re.Pattern[str], str], ...]
    devices: int | None

    def edition(self, word: str) -> str | None:
        """The key that an edition word names."""
        return next((key for pattern, key in self.editions if pattern.fullmatch(word)), None)

    def editions_in(self, words: str) -> list[str]:
        """The keys that the words name, each word read once and by the first pattern that takes it: the words
        "Max-Q Workstation" name one edition."""
        keys = []
        for pattern, key in self.editions:
            whole = re.compile(rf"(?<![a-z0-9])(?:{pattern.pattern})(?![a-z0-9])")
            words, times = whole.subn(" | ", words)
            keys += [key] if times else []
        return list(dict.fromkeys(keys))

    def holds(self, accelerator: Accelerator, size_gb: float) -> bool:
        """A stated size may be this card's memory: nominal, as reported in GiB or GB, or a known other listing."""
        gib = accelerator.memory_gib
        known = [accelerator.memory_nominal_gb, *self.also_gb]
        known += [gib, gb_from_gib(gib)] if gib is not None else []
        return any(abs(size_gb - figure) <= MEMORY_TOLERANCE * figure for figure in known)


@dataclass(frozen=True, slots=True)
class FormFact:
    """At `provider` (None = anywhere) a name of `family` means `form_factor`, if `word` and memory agree."""

    provider: str | None
    family: str
    word: str | None
    memory_gb: float | None
    form_factor: str


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Families in the order of the file; aliases by (provider or "", letters and digits)."""

    families: tuple[Family, ...]
    aliases: Mapping[tuple[str, str], str]
    facts: tuple[FormFact, ...]

    def family_of(self, key: str) -> Family:
        """The first family that lists a catalog key."""
        return next(family for family in self.families if key in family.keys)


def read_vocabulary(folder: Path, accelerators: Mapping[str, Accelerator]) -> Vocabulary:
    """Families, aliases and provider facts, checked against the accelerators.

    Raises:
        CatalogError: malformed, an unknown key, an accelerator that no family names, an alias twice.
    """
    families = tuple(_family(entry, accelerators) for entry in read_toml(folder / "families.toml")["family"])
    named = {key for family in families for key in family.keys}
    if missing := sorted(set(accelerators) - named):
        raise CatalogError(f"families.toml: no family names {', '.join(missing)}")
    return Vocabulary(families, _aliases(folder, accelerators), _facts(folder, {f.name for f in families}))


def _family(entry: Mapping[str, Any], accelerators: Mapping[str, Accelerator]) -> Family:
    name = str(entry.get("name", "?"))
    if unknown := sorted(set(entry) - _FIELDS):
        raise CatalogError(f"families.toml, family {name}: unknown field {unknown[0]}")
    editions = dict(entry.get("editions", {}))
    keys = tuple(entry.get("keys", ()))
    used = [*keys, *editions.values(), *([entry["default"]] if "default" in entry else [])]
    if unknown := [key for key in used if key not in accelerators]:
        raise CatalogError(f"families.toml, family {name}: no accelerator {unknown[0]}")
    try:
        pattern = re.compile(rf"(?<![a-z0-9])(?:{entry['pattern']})(?![a-z0-9])")
        words = tuple((re.compile(word), key) for word, key in editions.items())
    except (re.error, KeyError) as error:
        raise CatalogError(f"families.toml, family {name}: pattern {error}") from None
    return Family(
        name=name,
        pattern=pattern,
        keys=keys,
        default=entry.get("default"),
        unlisted_gb=tuple(map(float, entry.get("unlisted_gb", ()))),
        also_gb=tuple(map(float, entry.get("also_gb", ()))),
        host_gb=tuple(map(float, entry.get("host_gb", ()))),
        editions=words,
        devices=entry.get("devices"),
    )


def _aliases(folder: Path, accelerators: Mapping[str, Accelerator]) -> dict[tuple[str, str], str]:
    aliases: dict[tuple[str, str], str] = {}
    for row in read_table(folder / "aliases.csv", ALIAS_COLUMNS):
        key = row.choice("key", tuple(accelerators))
        place = (row.text("provider"), letters_and_digits(row.required("spelling")))
        if aliases.setdefault(place, key) != key:
            raise row.fail("spelling", f"already means {aliases[place]}")
    return aliases


def _facts(folder: Path, families: set[str]) -> tuple[FormFact, ...]:
    facts = []
    for row in read_table(folder / "form_factors.csv", FACT_COLUMNS):
        row.choice("confidence", CONFIDENCES)
        row.required("source")
        facts.append(
            FormFact(
                provider=row.optional("provider"),
                family=row.choice("family", sorted(families)),
                word=row.optional("word"),
                memory_gb=row.number("memory_gb"),
                form_factor=row.required("form_factor"),
            )
        )
    return tuple(facts)
