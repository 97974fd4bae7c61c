"""Filters on the page are the filters of the columns, whatever was typed."""

from __future__ import annotations

import re

from app.market.columns import COLUMNS
from app.market.facets import Option
from app.market.filters import PARAMETERS
from app.market.query import KNOWN, RUN_FIELDS, OfferQuery
from app.web.question import FilterControl, chips_of, href, href_without, question_of, run_query
from app.web.templating import environment
from tests.market.samples import market_of, offer


def controls(asked: dict[str, list[str]], with_run: bool = False) -> dict[str, FilterControl]:
    groups = question_of(asked, {}, with_run).groups
    return {item.column.name: item for group in groups for item in (*group.shown, *group.more)}


def test_every_column_with_a_filter_has_exactly_one_control() -> None:
    wanted = {column.name for column in COLUMNS if column.filter and column.name != "id"}
    assert set(controls({}, with_run=True)) == wanted
    needs_run = {column.name for column in COLUMNS if column.needs_run}
    assert set(controls({})) == wanted - needs_run


def test_every_input_of_the_form_is_a_parameter_that_the_question_knows() -> None:
    macro = environment().from_string(
        "{% from '_question.html' import question with context %}{{ question(ask, {}) }}"
    )
    html = macro.render(ask=question_of({}, {}, True))
    names = set(re.findall(r'\sname="([^"]+)"', html))
    assert names <= KNOWN
    assert names >= RUN_FIELDS
    asked = {
        name
        for name, (column, role) in PARAMETERS.items()
        if role in ("min", "max") and name.startswith(column.url_name)
    }
    assert asked <= names | {f"{c.name}_{end}" for c in COLUMNS for end in ("min", "max")}


def test_a_control_says_what_is_asked_of_it() -> None:
    asked = controls(
        {"price_max": ["30"], "price_min": ["2"], "accelerator_count": ["4,8"], "peer_to_peer": ["1"]}
    )
    assert asked["price_usd_per_hour"].chosen == "≥ 2 ≤ 30"
    assert asked["accelerator_count"].asked("is") == "4,8"
    assert asked["peer_to_peer"].chosen == "yes"
    assert asked["vcpus"].chosen == ""


def test_wider_words_and_exclusions_stay_ticked_beside_the_options() -> None:
    facets = {"provider": (Option("aws", "AWS", 3, True), Option("gcp", "Google", 2, False))}
    groups = question_of({"provider": ["aws,!azure"]}, facets, False).groups
    item = next(i for g in groups for i in g.shown if i.column.name == "provider")
    assert [(o.value, o.selected) for o in item.options] == [("!azure", True), ("aws", True), ("gcp", False)]


def test_a_chip_takes_away_its_own_condition_and_nothing_else() -> None:
    query = OfferQuery.parse(
        "q=8xh100&provider=aws&price_max=30&max_age_days=7&model=llama-3.1-8b&sort=hours"
    )
    board = market_of(offer(1)).board
    for chip in chips_of(query, board):
        left = OfferQuery.parse(chip.href.partition("?")[2])
        assert len(left.filters) + bool(left.q) == 3, chip.text
        assert left.run == query.run
        assert left.sort == query.sort
    texts = [chip.text for chip in chips_of(query, board)]
    assert texts[0] == "8× “h100”"
    assert "Provider: AWS" in texts
    assert any("≤ 30 USD/h" in text for text in texts)


def test_addresses_say_only_what_differs() -> None:
    assert href(OfferQuery.parse("")) == "/"
    assert run_query(OfferQuery.parse("provider=aws&model=llama-3.1-8b")) == "model=llama-3.1-8b"
    assert href_without({"price_max": ["x"], "q": ["h100 eu"]}, "price_max") == "/?q=h100+eu"
    assert href_without({"price_max": ["x"]}, "price_max") == "/"
