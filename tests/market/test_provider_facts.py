"""What is known of one provider, and what its sources wait for."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest
from sqlalchemy import Engine

from app.catalog import load_catalog
from app.domain.errors import MissingKey, NotFound
from app.market import board
from app.market.ingest import record_failure, record_skip
from app.market.provider_facts import coverage_of, missing_variable, provider_facts
from app.market.service import Market
from app.providers import discover
from tests.scraped import NOON, current, scraped, take_in

LAMBDA = discover()["lambda"].card
CRUSOE = discover()["crusoe"].card


def market(engine: Engine) -> Market:
    return Market.open(load_catalog(), engine, lambda: NOON)


def test_coverage_counts_regions_and_options_and_never_the_flagged_price(engine: Engine) -> None:
    take_in(
        engine,
        scraped("16.00", region="a"),
        scraped("8.00", region="b", flags=("price_outlier",)),
        scraped("4.00", region="b", purchase_option="spot"),
        scraped(None, region="c", instance_type="x", accelerator_name="Frobnicator", accelerator_count=1.0),
    )
    built = board.build(current(engine), load_catalog(), "1")
    known, unknown = coverage_of(built, np.arange(len(built)))
    assert (known.key, known.offers, known.regions) == ("h100-sxm5-80gb", 3, ("a", "b"))
    assert (known.purchase_options, known.counts) == (("on_demand", "spot"), (8.0,))
    assert (known.low_on_demand, known.low_spot) == (2.0, 0.5)
    assert (unknown.key, unknown.low_on_demand, unknown.low_spot) == (None, None, None)


def test_a_source_names_the_variable_that_it_waits_for(sqlite_engine: Engine) -> None:
    record_skip(sqlite_engine, CRUSOE, str(MissingKey("CRUSOE_SECRET_KEY")))
    facts = provider_facts(market(sqlite_engine), "crusoe")
    waiting = {source.card.slug: source.missing for source in facts.sources}
    assert waiting["crusoe"] == "CRUSOE_SECRET_KEY"
    assert waiting["hand_kept"] is None


def test_a_failure_or_a_source_that_was_never_asked_waits_for_nothing(sqlite_engine: Engine) -> None:
    assert missing_variable(LAMBDA, None) is None
    record_failure(sqlite_engine, LAMBDA, "answered 503", started_at=NOON, now=NOON)
    (source, *_) = (
        one for one in provider_facts(market(sqlite_engine), "lambda").sources if one.card is LAMBDA
    )
    assert source.missing is None and source.status is not None and source.status.failures == 1


def test_runs_of_all_sources_are_told_newest_first_with_their_rejects(sqlite_engine: Engine) -> None:
    take_in(sqlite_engine, scraped(), card=LAMBDA)
    take_in(
        sqlite_engine,
        scraped(),
        scraped("1", accelerator_name="CPU", instance_type="cpu"),
        card=LAMBDA,
        hours=1,
    )
    shadeform = discover()["shadeform"].card
    take_in(sqlite_engine, scraped(provider="lambda", instance_type="other"), card=shadeform, hours=2)
    facts = provider_facts(market(sqlite_engine), "lambda")
    assert [(name, run.started_at - NOON) for name, run in facts.runs] == [
        ("Shadeform", timedelta(hours=2)),
        ("Lambda", timedelta(hours=1)),
        ("Lambda", timedelta(0)),
    ]
    rejects = {source.card.slug: [reject.reason for reject in source.rejects] for source in facts.sources}
    assert rejects["lambda"] == ["not_an_accelerator"] and rejects["shadeform"] == []


def test_terms_and_fabrics_come_with_source_and_date(sqlite_engine: Engine) -> None:
    facts = provider_facts(market(sqlite_engine), "runpod")
    assert (facts.terms.cluster_nodes_min, facts.terms.cluster_nodes_max) == (2, 8)
    assert (facts.terms.stopped, facts.terms.as_of) == ("disk", "2026-08-20")
    assert facts.fabrics and all(rule.fabric.source for rule in facts.fabrics)


def test_a_provider_that_nobody_knows_is_not_found(sqlite_engine: Engine) -> None:
    with pytest.raises(NotFound):
        provider_facts(market(sqlite_engine), "nobody")
