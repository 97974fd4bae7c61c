"""One pace per host for all workers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import Engine

from app.workers.pace import draw_turn
from tests.postgres import empty
from tests.scraped import NOON

pytestmark = pytest.mark.postgres
STEP = timedelta(seconds=2)


def test_turns_of_one_host_are_a_step_apart_whoever_draws(postgres_engine: Engine) -> None:
    empty(postgres_engine)
    with ThreadPoolExecutor(4) as pool:
        turns = sorted(pool.map(lambda _: draw_turn(postgres_engine, "a.example", STEP, NOON), range(8)))
    assert turns == [NOON + number * STEP for number in range(8)]


def test_hosts_do_not_wait_for_each_other_and_an_idle_host_is_asked_at_once(postgres_engine: Engine) -> None:
    empty(postgres_engine)
    assert draw_turn(postgres_engine, "a.example", STEP, NOON) == NOON
    assert draw_turn(postgres_engine, "b.example", STEP, NOON) == NOON
    later = NOON + timedelta(minutes=5)
    assert draw_turn(postgres_engine, "a.example", STEP, later) == later
