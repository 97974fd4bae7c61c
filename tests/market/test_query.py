"""The question object: one text for one question, errors that name the parameter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import BadInput, UnknownParameter
from app.domain.run import TrainingRun
from app.market.columns import BY_NAME, COLUMNS
from app.market.filters import PARAMETERS
from app.market.query import RUN_FIELDS, VIEW_OPTIONS, VIEW_PARAMETERS, OfferQuery


def test_the_default_question_has_an_empty_query_string() -> None:
    assert OfferQuery.parse("").to_query_string() == ""
    assert OfferQuery.parse("?page=1&per_page=100&order=asc&q=&sort=&show_hidden=0").to_query_string() == ""


def test_only_what_differs_from_the_default_is_written() -> None:
    query = OfferQuery.parse(
        "provider=aws,gcp&price_usd_per_hour_max=30&sort=ram_gib&order=desc&page=2&method=full"
    )
    assert query.to_query_string() == "provider=aws&provider=gcp&price_max=30&sort=ram_gib&order=desc&page=2"


def test_an_unknown_parameter_is_named_even_when_it_is_blank() -> None:
    for text in ("colour=red", "colour="):
        with pytest.raises(UnknownParameter) as caught:
            OfferQuery.parse(text)
        assert caught.value.field == "colour"


@pytest.mark.parametrize("text", ["sort=colour", "columns=id,colour"])
def test_an_unknown_column_is_an_error(text: str) -> None:
    with pytest.raises(UnknownParameter, match="colour"):
        OfferQuery.parse(text)


@pytest.mark.parametrize(
    "text, field",
    [
        ("page=0", "page"),
        ("page=1.5", "page"),
        ("per_page=100000", "per_page"),
        ("order=up", "order"),
        ("show_hidden=perhaps", "show_hidden"),
        ("sort=total_usd", "sort"),
        ("total_usd_max=5", "total_usd_max"),
        ("model=a&model=b", "model"),
        ("method=magic&model=x", "method"),
        ("sequence_length=0", "sequence_length"),
        ("tokens=1e9&samples=5", "samples"),
        ("config=nonsense", "config"),
        ("config=[1]", "config"),
        ("q=" + "a+" * 30, "q"),
        ("q=<cheap", "q"),
        ("lang=xx", "lang"),
    ],
)
def test_what_cannot_be_understood_names_its_field(text: str, field: str) -> None:
    with pytest.raises(BadInput) as caught:
        OfferQuery.parse(text)
    assert caught.value.field == field


def test_a_run_rides_in_the_same_query_string() -> None:
    query = OfferQuery.parse("model=llama-3.1-8b&method=qlora&tokens=5e7&provider=aws")
    assert query.run == TrainingRun(model="llama-3.1-8b", method="qlora", tokens=5e7)
    assert query.sort == "total_usd"
    assert query.to_query_string() == "provider=aws&model=llama-3.1-8b&method=qlora&tokens=50000000"


def test_a_run_without_a_model_is_kept_as_a_draft_but_asks_nothing() -> None:
    query = OfferQuery.parse("method=qlora")
    assert query.run is None
    assert query.sort == "price_usd_per_hour"
    assert query.to_query_string() == "method=qlora"


def test_a_pasted_config_survives_the_url() -> None:
    query = OfferQuery().with_(config='{"hidden_size": 4096, "model_type": "llama"}')
    again = OfferQuery.parse(query.to_query_string())
    assert again == query
    assert again.run is not None
    assert again.run.config == {"hidden_size": 4096, "model_type": "llama"}


def test_a_change_goes_back_to_the_first_page_and_none_removes() -> None:
    query = OfferQuery.parse("provider=aws&page=3")
    assert query.with_(order="desc").page == 1
    assert query.with_(page=4).page == 4
    assert query.with_(provider=None).to_query_string() == ""
    assert query.with_(provider=["gcp", "azure"]).to_query_string() == "provider=gcp&provider=azure"


def test_leaving_the_run_leaves_what_depends_on_it() -> None:
    query = OfferQuery.parse("model=x&provider=aws&total_usd_max=40&show_hidden=1&sort=hours")
    assert query.without_run().to_query_string() == "provider=aws"


def test_columns_that_need_a_run_wait_for_one() -> None:
    chosen = "columns=provider,total_usd"
    assert [column.name for column in OfferQuery.parse(chosen).shown_columns] == ["provider"]
    assert [column.name for column in OfferQuery.parse(chosen + "&model=x").shown_columns] == [
        "provider",
        "total_usd",
    ]


def test_no_two_meanings_share_a_parameter_name() -> None:
    names = [*PARAMETERS, *RUN_FIELDS, *VIEW_PARAMETERS, *VIEW_OPTIONS]
    assert len(names) == len(set(names))
    assert len(BY_NAME) == len(COLUMNS)


@given(
    st.dictionaries(
        st.sampled_from(sorted({*PARAMETERS, *RUN_FIELDS, *VIEW_PARAMETERS})),
        st.lists(
            st.sampled_from(
                ["1", "4", "aws", "asc", "spot", "all", "0.5", "none", "8xH100 <25", ">=4", "x,y", ""]
            )
        ),
        max_size=6,
    )
)
def test_any_parameters_are_one_question_or_a_clean_error(params: dict[str, list[str]]) -> None:
    try:
        query = OfferQuery.parse(params)
    except BadInput as error:
        assert error.field
        return
    again = OfferQuery.parse(query.to_query_string())
    assert again == query
    assert again.to_query_string() == query.to_query_string()
