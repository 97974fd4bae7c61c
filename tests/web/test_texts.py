"""No text of a page escapes translation."""

from __future__ import annotations

import ast
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from app.web.templating import TEMPLATES, environment
from tools.messages import texts_of

NAMES = {
    "Rackrate", "CSV", "JSON", "API", "GiB", "GB", "TB", "Gb/s", "GB/s", "USD", "USD/GB", "TFLOP/s", "FLOP/B", "FLOP", "GPU", "CPU", "MFU",
    "BF16", "FP8", "FP16", "FP32", "INT8", "NVLink", "NVSwitch", "InfiniBand", "RoCE", "EFA", "Ethernet", "PCIe",
    "Infinity", "Fabric", "LoRA", "QLoRA", "ZeRO", "FSDP", "DDP", "Markdown", "openapi.json",
}  # fmt: skip
"""Words that are the same in every language: names of products, formats, files and units."""
EXAMPLES = {"8xH100 eu spot <25", '{"hidden_size": 4096, …}', "utilization.gpu [%], power.draw [W], …"}
"""What one types, the same in every language."""
READ_ALOUD = (
    "aria-label",
    "title",
    "placeholder",
    "alt",
    "aria-description",
    "aria-roledescription",
    "content",
)
SILENT = ("script", "style", "code", "kbd", "pre", "svg")
SILENT_BLOCKS = (
    r"{%-? trans\b.*?{% endtrans -?%}",
    r"{% block main_class %}.*?{% endblock %}",
    r"{% set \w+ %}.*?{% endset %}",
)
"""Messages themselves; words that are no text of the page."""
HOLE = "\N{OBJECT REPLACEMENT CHARACTER}"


class Reader(HTMLParser):
    """Collects what a person sees or hears of the literal part of a template."""

    def __init__(self) -> None:
        super().__init__()
        self.silent: list[str] = []
        self.said: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in SILENT:
            self.silent.append(tag)
        given = dict(attrs)
        if tag != "meta" or given.get("name") == "description":
            self.said += [given[name] or "" for name in READ_ALOUD if name in given]

    def handle_endtag(self, tag: str) -> None:
        if self.silent and self.silent[-1] == tag:
            self.silent.pop()

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.said.append(re.sub(r'[\w-]+="[^"]*"', "", data))  # a macro that writes attributes


def literal_words(source: str) -> set[str]:
    """Words that a template says without asking the catalogs."""
    depth, text = 0, ""
    for _, kind, value in environment().lex(source):
        depth += {"variable_begin": 1, "block_begin": 1, "variable_end": -1, "block_end": -1}.get(kind, 0)
        text += value if kind == "data" else HOLE if kind == "variable_begin" else ""
    reader = Reader()
    reader.feed(re.sub(r"\N{OBJECT REPLACEMENT CHARACTER}+", HOLE, text))
    return {
        word
        for said in reader.said
        if said not in EXAMPLES
        for word in re.findall(r"[A-Za-z][\w./-]*\w", said)
    } - NAMES


@pytest.mark.parametrize(
    "path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: path.relative_to(TEMPLATES).as_posix()
)
def test_a_template_says_nothing_past_the_catalogs(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    for silent in SILENT_BLOCKS:
        source = re.sub(silent, "", source, flags=re.DOTALL)
    assert literal_words(source) == set()


def test_the_reader_of_templates_hears_what_is_not_marked() -> None:
    source = '<p title="{{ _("No") }} loud">{{ _("Marked") }} plain</p><code>x = max</code><img alt="seen">'
    assert literal_words(source) == {"loud", "plain", "seen"}


@pytest.mark.parametrize(
    "code",
    ['BadInput("field", f"has {n} parts")', 'Sentence("so " + word)', 'gettext("a %s" % b)', 'N_(f"{x}")',
     'ngettext("one", f"{n} many", n)', 'Sentence("{n} card", {}, plural=f"{n} cards", count=n)'],
)  # fmt: skip
def test_a_text_that_is_put_together_is_refused(code: str) -> None:
    with pytest.raises(SyntaxError, match="put together"):
        list(texts_of(ast.parse(code), "file.py"))


def test_marked_texts_are_found_with_their_plurals() -> None:
    code = 'Sentence("{n} card" if x else "none", {}), Sentence("{n} a", {"n": N_("b")}, plural="{n} as", count=2)'
    assert list(texts_of(ast.parse(code), "file.py")) == ["{n} card", "none", ("{n} a", "{n} as"), "b"]
