"""The texts of the house and their catalogs: `python -m tools.messages [CODE…]` brings the catalogs up to date.

A text is found where it is written: `_("…")` and `ngettext` in templates; `N_`, `gettext`, `ngettext`, `Sentence` and
the errors in Python; and where it is declared as data: columns, fields of a run, constants. A text that is put together
(an f-string, a sum) is an error: nobody could translate it.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po
from jinja2.ext import babel_extract

from app.catalog import load_catalog
from app.catalog.citations import read_citations
from app.domain.run import TrainingRun
from app.market.columns import COLUMNS
from app.market.methods import Methods, methods
from app.providers import discover
from app.training.memory import TERMS
from app.training.rent_or_buy import ASSUMPTIONS
from app.web.language import LANGUAGES, LOCALE
from app.web.templating import TEMPLATES

ROOT = Path(__file__).resolve().parents[1]
TRANSLATED = tuple(LANGUAGES)[1:]
CALLS = {
    "N_": (0,), "gettext": (0,), "Sentence": (0,), "ngettext": (0, 1), "BadInput": (1,), "UnknownParameter": (1,),
    "bad": (0,),
}  # fmt: skip
"""Callable → the positions of its texts."""
ENGLISH_ONLY = ("api", "cli", "db", "market/accuracy", "providers", "workers", "settings.py")
"""What no page shows: programs, logs and the command line are spoken to in English."""
OWN_WORDS = ("derived", "weakest")
"""What a source weighs that is no publication: it is described in our words."""
TEMPLATE_OPTIONS = {
    "trim_blocks": "true",
    "lstrip_blocks": "true",
    "newstyle_gettext": "true",
    "trimmed": "true",
}
WIDTH = 110

Message = str | tuple[str, str]
Found = tuple[Message, str]
"""A text, or its singular and plural, and where it stands."""


def main(codes: Iterable[str]) -> None:
    """Write the catalogs of these languages: new texts empty, texts that are gone removed, the rest as they are."""
    found = template()
    for code in codes:
        catalog = merged(code, found)
        with catalog_path(code).open("wb") as file:
            write_po(file, catalog, width=WIDTH, omit_header=False, sort_output=True, include_lineno=False)
        done = sum(is_translated(message.string) for message in catalog if message.id)
        print(f"{code}: {done} of {len(catalog)} texts")


def merged(code: str, found: Catalog) -> Catalog:
    """The catalog of a language, holding exactly the texts that were found."""
    catalog = read_catalog(code)
    catalog.update(found, no_fuzzy_matching=True)
    catalog.header_comment = (
        f"# {Locale.parse(code).english_name} texts of Rackrate; see docs/translating.md."
    )
    catalog.last_translator = catalog.language_team = catalog.msgid_bugs_address = "Rackrate"
    catalog.obsolete.clear()
    return catalog


def read_catalog(code: str) -> Catalog:
    """The catalog of a language as it is committed; empty where there is none."""
    path = catalog_path(code)
    if not path.exists():
        return _empty(code)
    with path.open("rb") as file:
        return read_po(file, locale=code)


def _empty(code: str | None) -> Catalog:
    """A catalog without texts; its date is a constant, so that two runs write the same file."""
    made = datetime(2026, 11, 30, tzinfo=UTC)
    return Catalog(code, project="Rackrate", version="1", fuzzy=False, creation_date=made)


def catalog_path(code: str) -> Path:
    """Where a language's texts are."""
    return LOCALE / code / "LC_MESSAGES" / "messages.po"


def is_translated(text: object) -> bool:
    """All forms of the text are there."""
    return all(text) if isinstance(text, (list, tuple)) else bool(text)


def template() -> Catalog:
    """Every text of the house.

    Raises:
        SyntaxError: a text that a person reads is put together where it is written.
    """
    catalog = _empty(None)
    places: dict[Message, set[str]] = defaultdict(set)
    for reader in (in_templates, in_python, in_data):
        for message, place in reader():
            if message:
                places[message].add(place)
    # A text that is somewhere counted is one entry, whichever way it is asked for elsewhere.
    counted = {message[0] for message in places if isinstance(message, tuple)}
    for message in sorted(places, key=str):
        if message not in counted:
            catalog.add(message, locations=[(place, 0) for place in sorted(places[message])])
    return catalog


def in_templates() -> Iterator[Found]:
    """Texts of the pages."""
    for path in sorted(TEMPLATES.rglob("*.html")):
        with path.open("rb") as file:
            for _, function, said, _ in babel_extract(
                file, ("_", "gettext", "ngettext"), (), TEMPLATE_OPTIONS
            ):
                texts = [text for text in ([said] if isinstance(said, str) else said or ()) if text]
                message = (texts[0], texts[1]) if function == "ngettext" else texts[0]
                yield message, path.relative_to(ROOT).as_posix()


def in_python() -> Iterator[Found]:
    """Texts in the code of whatever a page shows."""
    for path in sorted((ROOT / "app").rglob("*.py")):
        name = path.relative_to(ROOT / "app").as_posix()
        if not name.startswith(ENGLISH_ONLY):
            for message in texts_of(ast.parse(path.read_text(encoding="utf-8")), f"app/{name}"):
                yield message, f"app/{name}"


def texts_of(tree: ast.AST, name: str) -> Iterator[Message]:
    """The marked texts of one file.

    Raises:
        SyntaxError: one is put together; the error says where.
    """
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        function = getattr(node.func, "id", getattr(node.func, "attr", ""))
        positions = CALLS.get(function, ())
        arguments = [node.args[at] for at in positions if at < len(node.args)]
        arguments += [word.value for word in node.keywords if function == "Sentence" and word.arg == "plural"]
        found = [list(_literals(argument, name)) for argument in arguments]
        if len(found) == 2 and all(found):
            yield found[0][0], found[1][0]
        else:
            yield from (text for texts in found for text in texts)


def _literals(node: ast.expr, name: str) -> Iterator[str]:
    match node:
        case ast.Constant(value=str() as text) if text:
            yield text
        case ast.IfExp():
            yield from _literals(node.body, name)
            yield from _literals(node.orelse, name)
        case ast.JoinedStr() | ast.BinOp():
            raise SyntaxError(f"{name}:{node.lineno}: a text is put together; use a Sentence with values")


def in_data() -> Iterator[Found]:
    """Texts that are declared once and shown in many places."""
    for column in COLUMNS:
        for text in (column.label, column.help, column.unit, *column.option_labels.values()):
            yield text, "app/market/columns.py"
    for field in TrainingRun.model_fields.values():
        yield field.description or "", "app/domain/run.py"
    for source in discover().values():
        yield source.card.terms_note, "app/providers"
    for cited in read_citations().values():
        yield cited.weight, "app/catalog/data/citations.csv"
        if cited.weight in OWN_WORDS:
            yield cited.source, "app/catalog/data/citations.csv"
    for assumed in ASSUMPTIONS:
        yield assumed.source, "app/training/rent_or_buy.py"
    for term in TERMS:
        yield term, "app/training/memory.py"
    for shape in load_catalog().models.values():
        yield shape.modality, "app/catalog/data/models.csv"
    for card in load_catalog().accelerators.values():
        yield from ((note, "app/catalog/data/accelerators.csv") for note in card.notes)
    yield from ((text, "app/market/methods.py") for text in _of_methods(methods()))


def _of_methods(page: Methods) -> Iterator[str]:
    for chapter in page.chapters:
        for formula in chapter.formulas:
            yield from (formula.words, formula.formula)
        for constant in chapter.assumptions:
            yield constant.unit
    for scores in page.accuracy:
        yield scores.name
        yield from (name.partition(" ")[0] for name in scores.groups)
    yield from (name.replace("_", " ") for peers in (page.peers, page.time_peers) for name in peers[0])


if __name__ == "__main__":
    main(sys.argv[1:] or TRANSLATED)
