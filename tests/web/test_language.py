"""Texts and figures in the reader's language."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalog import load_catalog
from app.domain.place import Territory
from app.domain.sentence import Sentence
from app.market.query import VIEW_OPTIONS
from app.web import formatting
from app.web.cells import country_text
from app.web.language import LANGUAGES, catalog, isolated, language, say, speaking
from app.web.templating import environment, switch


def test_the_languages_are_those_that_an_address_may_ask_for() -> None:
    assert tuple(LANGUAGES) == VIEW_OPTIONS["lang"][1:]
    assert [spoken.direction for spoken in LANGUAGES.values()] == ["ltr", "rtl", "ltr"]


def test_english_is_spoken_outside_of_a_request_and_after_a_block() -> None:
    with speaking("ar"):
        assert language().mirrored
    assert language().code == "en"


@pytest.mark.parametrize(("code", "name"), [("en", "Germany"), ("ar", "ألمانيا"), ("az", "Almaniya")])
def test_countries_are_said_in_the_language(code: str, name: str) -> None:
    germany = load_catalog().country_name("DE")
    assert (germany, germany.code) == ("Germany", "DE")
    with speaking(code):
        assert say(germany) == name
        assert say(Sentence("in {country}", {"country": germany})).endswith(isolated(name))
        assert say(Territory("Atlantis", "ZZ")) and say(Territory("Atlantis", "QQ9")) == "Atlantis"
        assert country_text("DE") == f"DE {name}"


@pytest.mark.parametrize(("code", "shown"), [("en", "1,234,567"), ("ar", "1,234,567"), ("az", "1.234.567")])
def test_figures_have_latin_digits_and_the_separators_of_the_language(code: str, shown: str) -> None:
    with speaking(code):
        assert formatting.integer(1_234_567) == shown


@given(st.floats(-1e9, 1e9), st.sampled_from(sorted(LANGUAGES)))
def test_a_figure_says_the_same_number_in_every_language(value: float, code: str) -> None:
    english = formatting.usd(value)
    with speaking(code):
        spoken = formatting.usd(value)
    assert english is not None
    assert spoken is not None
    back = {"az": str.maketrans(".,", ",."), "ar": str.maketrans("", "", "\u200e")}.get(code, {})
    assert spoken.translate(back) == english


@pytest.mark.parametrize(
    ("value", "shown"),
    [("1,234.5", "1.234,5"), ("71.2 GiB", "71,2 GiB"), ("8.03B", "8,03B"), ("≤ 2.5 USD/h", "≤ 2,5 USD/h"),
     ("Llama 3.1 8B", "Llama 3.1 8B"), ("v1.2.3", "v1.2.3"), ("3,4,5", "3,4,5")],
)  # fmt: skip
def test_only_a_value_that_is_a_figure_is_rewritten(value: str, shown: str) -> None:
    with speaking("az"):
        assert say(Sentence("{value}", {"value": value})) == shown


def test_values_keep_to_themselves_where_words_run_from_right_to_left() -> None:
    sentence = Sentence("{name}: {other}", {"name": "≥ 8× H100", "other": Sentence("{n}", {"n": "3"})})
    assert say(sentence) == "≥ 8× H100: 3"
    with speaking("ar"):
        assert say(sentence) == "\u2068≥ 8× H100\u2069: \u2068\u20683\u2069\u2069"
        template = environment().from_string('{{ _("%(what)s!", what="<H100>") }}')
        assert template.render() == "\u2068&lt;H100&gt;\u2069!"
        assert isolated("x") == "\u2068x\u2069"


def test_a_counted_sentence_has_the_form_for_its_count() -> None:
    one, many = "{count} zorp", "{count} zorps"
    assert str(Sentence(one, {"count": "1"}, plural=many, count=1)) == "1 zorp"
    assert say(Sentence(one, {"count": "0"}, plural=many, count=0)) == "0 zorps"


@pytest.mark.parametrize("code", ["ar", "az"])
def test_a_text_without_translation_stays_readable(code: str) -> None:
    assert catalog(code).gettext("no such text at all") == "no such text at all"


def test_the_switch_keeps_the_question_and_changes_the_language_alone() -> None:
    links = {spoken.code: link for spoken, link in switch("/fit?q=a+b&country=DE&country=FR&lang=ar")}
    assert links == {code: f"?q=a+b&country=DE&country=FR&lang={code}" for code in LANGUAGES}
    assert {link for _, link in switch("/")} == {f"?lang={code}" for code in LANGUAGES}


@pytest.mark.parametrize(
    "label", ["1× H100 80 GB, form factor not stated", "1/2 of NVIDIA A100", "25% of NVIDIA L4"]
)
def test_what_a_name_of_hardware_leaves_open_is_said_and_the_name_stays(label: str) -> None:
    assert say(label) == label
    with speaking("ar"):
        spoken = say(label)
    assert "not stated" not in spoken
    assert " of " not in spoken
    assert re.findall(r"[A-Z]+\d+", spoken) == re.findall(r"[A-Z]+\d+", label)


@given(st.floats(1e3, 1e9))
def test_a_figure_is_turned_into_the_readers_language_once(value: float) -> None:
    with speaking("az"):
        shown = formatting.integer(value)
        assert say(Sentence("{amount} USD", {"amount": shown})) == f"{shown} USD"
