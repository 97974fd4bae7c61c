"""Offers as columns are the same offers."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.domain.offer_table import FIELDS, OfferTable
from app.domain.record import OfferRecord

MICROSECONDS = st.integers(0, 10**15)
MOMENTS = MICROSECONDS.map(lambda number: datetime(2010, 1, 1, tzinfo=UTC) + timedelta(microseconds=number))
WORD = st.text(max_size=4)
MAYBE_WORD = st.one_of(st.none(), st.text(min_size=1, max_size=4))
NUMBER = st.floats(0, 1e9)
VALUES = {"number": NUMBER, "whole": st.integers(0, 2**31 - 1), "flag": st.booleans(), "moment": MOMENTS}
VALUES |= {"day": st.dates(date(2020, 1, 1)), "list": st.lists(WORD, max_size=2).map(tuple), "word": WORD}


def _values(name: str) -> st.SearchStrategy[object]:
    field = FIELDS[name]
    if field.kind == "word" and field.optional:
        return MAYBE_WORD
    return st.one_of(st.none(), VALUES[field.kind]) if field.optional else VALUES[field.kind]


RECORDS = st.builds(
    OfferRecord,
    id=st.integers(0, 2**64 - 1).map("{:016x}".format),
    **{name: _values(name) for name in FIELDS},
)


@given(st.lists(RECORDS, max_size=4))
def test_records_read_back_as_they_were_one_by_one_and_all_at_once(records: list[OfferRecord]) -> None:
    table = OfferTable.of(records)
    assert table.records() == records
    assert [table.record(row) for row in range(len(table))] == records
    assert table.take(np.arange(len(records))[::-1]).records() == records[::-1]


def test_every_field_of_a_record_has_a_column() -> None:
    assert {"id", *FIELDS} == set(OfferRecord.__struct_fields__)
