"""Sources made of many files."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from app.domain.errors import Unreachable
from app.providers._several import every_part
from app.providers.port import Part, Payload


def _ask(names: list[str], answering: set[str]) -> tuple[Payload | None, list[str]]:
    asked: list[str] = []

    async def ask(name: str) -> Part:
        asked.append(name)
        if name not in answering:
            raise Unreachable(name)
        return Part(name, "u", name)

    try:
        return asyncio.run(every_part((name, partial(ask, name)) for name in names)), asked
    except Unreachable:
        return None, asked


def test_one_that_fails_leaves_the_others() -> None:
    payload, _ = _ask(["a", "b", "c"], {"a", "c"})
    assert payload is not None
    assert ([part.name for part in payload.parts], payload.unanswered) == (["a", "c"], ("b",))


def test_when_nobody_answers_it_soon_stops_asking() -> None:
    payload, asked = _ask([str(n) for n in range(20)], set())
    assert payload is None and len(asked) == 5


@pytest.mark.parametrize("names", [["a"], []])
def test_nothing_at_all_is_a_fault(names: list[str]) -> None:
    assert _ask(names, set())[0] is None
