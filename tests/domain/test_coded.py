"""Words and lists of many rows read back as they were."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.domain.coded import Coded, Listed, distinct_rows, number_key, word_key

WORDS = st.lists(st.one_of(st.none(), st.text(max_size=3)))
LISTS = st.lists(st.lists(st.sampled_from("abc"), max_size=2, unique=True).map(tuple))


@given(WORDS)
def test_coded_words_read_back_as_they_were(words: list[str | None]) -> None:
    coded = Coded.of(words)
    assert [coded.get(row) for row in range(len(words))] == [word or None for word in words]
    assert list(coded.names) == sorted(coded.names, key=lambda name: (name.casefold(), name))
    assert coded.where(lambda name: False, unknown=True).tolist() == [not word for word in words]
    assert coded.take(np.arange(len(words))[::-1]).codes.tolist() == coded.codes.tolist()[::-1]


@given(WORDS)
def test_the_order_of_words_is_that_of_plain_texts_and_unknown_comes_first(words: list[str | None]) -> None:
    order = np.argsort(Coded.of(words).order(), kind="stable").tolist()
    assert [words[row] or "" for row in order] == sorted(word or "" for word in words)


def test_a_number_by_word_is_unknown_where_the_word_is() -> None:
    found = Coded.of(["a", None, "b"]).numbers({"a": 1.0}.get)
    assert np.array_equal(found, [1.0, np.nan, np.nan], equal_nan=True)


@given(LISTS, st.data())
def test_a_word_joins_the_lists_that_are_meant_and_no_other(
    lists: list[tuple[str, ...]], data: st.DataObject
) -> None:
    chosen = data.draw(st.lists(st.booleans(), min_size=len(lists), max_size=len(lists)))
    longer = Listed.of(lists).with_word("b", np.array(chosen, dtype=np.bool_))
    for row, (given_list, meant) in enumerate(zip(lists, chosen, strict=True)):
        wanted = given_list if not meant or "b" in given_list else (*given_list, "b")
        assert longer.get(row) == wanted
    assert longer.where(lambda words: "b" in words).tolist() == [
        meant or "b" in words for words, meant in zip(lists, chosen, strict=True)
    ]


@given(st.lists(st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from([1.0, 2.0, float("nan")]))))
def test_distinct_rows_are_numbered_in_order_of_appearance(rows: list[tuple[str | None, float]]) -> None:
    keys = [repr(row) for row in rows]
    words, numbers = Coded.of([word for word, _ in rows]), np.array([number for _, number in rows])
    firsts, of_row = distinct_rows([word_key(words), number_key(numbers)])
    assert [keys.index(key) for key in keys] == [firsts[number] for number in of_row]
    assert firsts.tolist() == sorted(set(firsts.tolist()))


def test_so_many_kinds_that_their_product_overflows_stay_apart() -> None:
    codes = np.arange(50)
    firsts, of_row = distinct_rows([(codes, 2**40), (codes % 7, 2**40), (codes[::-1], 50)])
    assert len(firsts) == 50
    assert of_row.tolist() == codes.tolist()
