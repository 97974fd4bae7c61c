"""What the API says, made from what the market answers."""

from __future__ import annotations

from typing import Any

from app.api.decisions import choices_body
from app.api.plain import fields_of
from app.domain.run import TrainingRun
from app.domain.sentence import N_, Sentence
from app.market.cards import cards_by_slug
from app.market.groups import fields_of as fields_of_group
from app.market.offers import OfferPage, OfferRow
from app.market.overview import by_accelerator, by_provider
from app.market.provider_facts import source_of
from app.market.query import OfferQuery
from app.market.reach import Reach
from app.market.service import Market
from app.market.units import Units

OFFERS_PATH = "/api/v1/offers"
BEST = ("plan", "nodes", "headroom_gib", "offer", "memory", "time", "cost")
"""Of the cheapest offer that holds a run, beside its verdict."""
BEYOND = N_("{why} But no offer of it is within this run's limits: nodes, budget, deadline and the like.")


def offers_body(page: OfferPage) -> dict[str, Any]:
    """The body of `GET /offers`; the command line prints the same."""
    following = page.next
    gathered = [fields_of_group(group, Units(), page.query.run is not None) for group in page.groups]
    return {
        "items": [item(row, page.query) for row in page.rows],
        **({"groups": gathered} if page.query.group else {}),
        "total": page.total,
        "as_of": page.as_of,
        "next": f"{OFFERS_PATH}?{following.to_query_string()}" if following else None,
        "hidden": dict(page.hidden),
        "caption": str(page.caption),
    }


def item(row: OfferRow, query: OfferQuery) -> dict[str, Any]:
    """One offer: the chosen columns, all by default; the id always."""
    names = dict.fromkeys(("id", *(query.columns or row.cells)))
    return {name: row.cells[name] for name in names if name in row.cells}


def offer_body(market: Market, offer_id: str) -> dict[str, Any]:
    """One offer and its prices over time."""
    row = market.get_offer(offer_id)
    points = [
        {"at": point.at, "price_usd_per_hour": point.usd_per_hour, "source": point.via}
        for point in market.price_points(offer_id)
    ]
    return {"offer": row.cells, "history": points}


def accelerators_body(market: Market) -> list[dict[str, Any]]:
    """Every accelerator of the catalog and what the board knows of it."""
    spreads = by_accelerator(market.board)
    return [
        {**fields_of(card), "memory_usable_gib": card.usable_gib, "market": spreads.get(key)}
        for key, card in market.catalog.accelerators.items()
    ]


def models_body(market: Market, text: str) -> list[dict[str, Any]]:
    """Model shapes with their counted parameters; those that hold every word of `text`, all without."""
    models = market.catalog.search_models(text) if text.strip() else market.catalog.models.values()
    return [{**fields_of(shape), **market.parameter_counts(shape)} for shape in models]


def providers_body(market: Market) -> list[dict[str, Any]]:
    """Whoever has offers on the board: terms, counts, cheapest prices."""
    return [
        {
            "slug": slug,
            "name": market.catalog.provider_name(slug),
            "terms": market.catalog.terms(slug),
            "market": spread,
        }
        for slug, spread in sorted(by_provider(market.board).items())
    ]


def cards_body(market: Market) -> list[dict[str, Any]]:
    """Every source's card, when it last succeeded and what it waits for; the command line prints the same."""
    status = market.status()
    cards = []
    for slug, card in cards_by_slug().items():
        state, source = status.source(slug), source_of(card, status)
        cards.append(
            {
                **fields_of(card),
                "last_success": state.last_success if state else None,
                "last_attempt": state.last_attempt if state else None,
                "last_error": state.last_error if state else None,
                "missing": source.missing,
                "off": source.off,
                "offers": state.offers if state else 0,
                "held": len(state.holds) if state else 0,
            }
        )
    return cards


def run_body(market: Market, run: TrainingRun) -> dict[str, Any]:
    """The body of `POST /estimates`: the answer before any price, then hardware shape by shape."""
    told = market.answer(run)
    hardware = market.by_hardware(run)
    held = [answer for answer in hardware if answer.offer is not None]
    best = held[0] if held else None
    return {
        "run": told.question.run,
        "model": {**fields_of(told.question.shape), **market.parameter_counts(told.question.shape)},
        "holds": best is not None,
        "verdict": best.verdict if best else "does_not_fit",
        "why": str(told.why if best or not told.enough else Sentence(BEYOND, {"why": told.why})),
        **{name: getattr(best, name) if best else None for name in BEST},
        "enough": told.enough,
        "tiers": told.tiers,
        "classes": told.classes,
        "reach": _reach(told.reach) if told.reach else None,
        "smaller": told.smaller,
        "rules": told.rules,
        "levers": told.levers,
        "compared": told.compared,
        "calibration": told.question.calibration,
        "choices": choices_body(market, OfferQuery(draft=run)),
        "hardware": hardware,
    }


def _reach(reach: Reach) -> dict[str, Any]:
    """The run on the machine that the answer is drawn on, and how far it could grow there."""
    return {
        "machine": reach.label,
        "nodes": reach.nodes,
        "holds": reach.holds,
        "layout": reach.layout,
        "usable_gib": reach.usable_gib,
        "memory": reach.memory,
        "growth": reach.growth,
    }


def explanation_body(market: Market, offer_id: str, run: TrainingRun) -> dict[str, Any]:
    """One run on one offer, every term kept."""
    told = market.explain(offer_id, run)
    return {
        "offer_id": offer_id,
        "verdict": told.verdict,
        "reason": told.reason,
        "why": told.why,
        "plan": told.found.plan_words,
        "nodes": told.found.nodes,
        "headroom_gib": told.found.headroom_gib,
        "layout": told.layout,
        "memory": told.memory,
        "time": told.time,
        "cost": told.cost,
        "levers": told.levers,
        "largest_micro_batch": told.largest_micro_batch,
        "largest_sequence": told.largest_sequence,
        "rules": told.rules,
        "warnings": told.warnings,
        "assumed": told.assumed,
        "beside": told.beside,
        "resilience": told.resilience,
        "published_interruptions": told.published_interruptions,
        "calibration": told.calibration,
    }
