"""Values of choice filters that exist: on the board, in the catalog, or as a wider word of those.

A value that nothing has and nothing could have is a mistake of whoever asks, and is refused with what is near; a value
that exists but is not on offer now (a provider without offers, an accelerator that nobody rents out) finds nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING

from app.domain.errors import UnknownValue
from app.domain.sentence import Sentence
from app.market.cards import cards_by_slug
from app.market.column import Column
from app.market.filters import UNKNOWN, Choice, Filter
from app.market.frame import Frame

if TYPE_CHECKING:
    from app.catalog import Catalog

NEAR = 3
ALIKE = 0.5
WIDER = {"accelerator": ("slice", "ambiguous")}


def check_values(filters: Iterable[Filter], frame: Frame, catalog: Catalog) -> None:
    """Refuse values that do not exist.

    Raises:
        UnknownValue: names the parameter, the value and near ones.
    """
    for item in filters:
        if not isinstance(item, Choice) or not item.column.facets:
            continue
        names = _known(item.column, frame, catalog)
        known = {UNKNOWN, *(name.casefold() for name in names)}
        for value in item.values:
            word = value.removeprefix("!")
            if word.casefold() not in known and not _is_a_country(item.column, word, catalog):
                raise UnknownValue(item.parameter, word, _near(word, item.column, frame, names))


def _known(column: Column, frame: Frame, catalog: Catalog) -> tuple[str, ...]:
    names = dict.fromkeys((*column.options, *column.option_labels, *frame.facet(column.name).names))
    if column.name == "provider":
        covered = (slug for card in cards_by_slug().values() for slug in card.covers)
        names |= dict.fromkeys((*covered, *catalog.providers.names))
    elif column.name == "accelerator":
        names |= dict.fromkeys(catalog.accelerators)
    elif column.name == "continent":
        names |= dict.fromkeys(sorted(catalog.continents))
    wider = (word for name in tuple(names) for word in column.family(name))
    return tuple(dict.fromkeys((*names, *wider, *WIDER.get(column.name, ()))))


def _is_a_country(column: Column, word: str, catalog: Catalog) -> bool:
    return column.name == "country" and catalog.country_name(word.upper()) != word.upper()


def _near(word: str, column: Column, frame: Frame, names: Iterable[str]) -> tuple[str, ...]:
    word = word.casefold()
    spelled = dict(_spellings(names, frame.board.labels.get(column.name, {})))
    starting = [text for text in spelled if text.startswith(word)] if len(word) > 1 else []
    close = get_close_matches(word, spelled, NEAR, ALIKE)
    return tuple(dict.fromkeys(spelled[text] for text in (*close, *starting)))[:NEAR]


def _spellings(names: Iterable[str], labels: Mapping[str, str | Sentence]) -> Iterator[tuple[str, str]]:
    for name in names:
        if name in labels:
            yield str(labels[name]).casefold(), name
        yield name.casefold(), name
