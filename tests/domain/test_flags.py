"""One vocabulary of doubts and notes."""

from __future__ import annotations

from app.domain.flags import DOUBTS, NOTES, doubts_of, notes_of


def test_what_is_said_is_a_doubt_or_a_note_and_never_both() -> None:
    assert not DOUBTS.keys() & NOTES.keys()
    said = ("price_moved", "local_zone", "sources_disagree", "price_is_lower_bound")
    assert doubts_of(said) == ("price_moved", "sources_disagree")
    assert notes_of(said) == ("local_zone", "price_is_lower_bound")


def test_a_code_that_nobody_knows_counts_as_a_doubt() -> None:
    assert doubts_of(("never_heard_of",)) == ("never_heard_of",)


def test_every_code_has_a_sentence() -> None:
    for code, words in {**DOUBTS, **NOTES}.items():
        assert code == code.lower() and words[0].isupper() and not words.endswith("."), code
