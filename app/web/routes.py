"""Every page: a question in, a market use case, a template out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app.domain.errors import BadInput, NotFound
from app.market.query import OfferQuery
from app.market.reasons import REASONS
from app.market.saved import Saved
from app.market.service import Market
from app.web import assets, errors, fit, offer, offers, reference, saved, sources
from app.web.accelerator import accelerator_view
from app.web.compare import add_compare
from app.web.decisions import add_decisions, asked_once
from app.web.fit_file import add_fit_file
from app.web.language import catalogs, language
from app.web.learn import add_lessons
from app.web.market import market_view
from app.web.model import model_view
from app.web.models import model_choices, near, resolve_model
from app.web.parameters import only
from app.web.question import CURRENCY, href
from app.web.table import add_table, block_for
from app.web.templating import environment, html_of, is_restored, render, respond

PAGES_KEPT = 128
READ = {"/providers/{slug}": (CURRENCY,)}
"""What pages read that are asked for nothing else."""


@dataclass(frozen=True, slots=True)
class Form:
    """A page that is a form and its answer: both for a question that can be understood, the form alone otherwise."""

    path: str
    template: str
    view: Callable[[Market, OfferQuery], object]
    refused: Callable[[Mapping[str, Sequence[str]], BadInput], object]


COMPARISON = Form("/", "offers.html", offers.offers_view, offers.refused_view)
FIT = Form("/fit", "fit.html", fit.fit_view, fit.refused_view)


class Pages:
    """The views. Each hands the question to the market and the answer to a template."""

    def __init__(self, market: Market) -> None:
        self.market = market
        self.kept_html = lru_cache(maxsize=PAGES_KEPT)(self._html)

    def offers(self, request: Request) -> Response:
        """`/`: the comparison."""
        return self.answer(request, COMPARISON)

    def fit(self, request: Request) -> Response:
        """`/fit`: the run's answer before any price."""
        return self.answer(request, FIT)

    def answer(self, request: Request, form: Form) -> Response:
        """The form's answer, or the form as it was filled in and what is wrong with it."""
        asked = resolve_model(self.market, asked_of(request))
        try:
            address = href(OfferQuery.parse(asked), form.path)
            if is_plain_form(request):
                return RedirectResponse(address, status_code=303)
            moment = int(self.market.clock().timestamp() // 60)
            key = (language().code, self.market.board.version, moment)
            html = self.kept_html(form, address, block_for(request, address), key)
        except offers.PastTheEnd as past:
            return RedirectResponse(past.address, status_code=303)
        except (BadInput, NotFound) as error:
            refusal = errors.as_bad_input(error)
            hints = near(self.market, asked, refusal)
            return self.page(request, form.template, 422, view=form.refused(asked, refusal), near=hints)
        return respond(html, headers=moved_to(request, address))

    def _html(self, form: Form, address: str, target: str, key: tuple[str, str, int]) -> str:
        """An answer as HTML. It depends on the question and on `key` alone (the language, the board and, through ages,
        the minute), and is kept: rendering costs more than answering."""
        query = OfferQuery.parse(address.partition("?")[2])
        view = self.shared() | {"view": form.view(self.market, query), "address": address}
        return html_of(form.template, target, view)

    def offer(self, request: Request, offer_id: str) -> Response:
        """`/offers/{id}`: one offer; with a run every term of it."""
        asked, kept = saved.split(resolve_model(self.market, asked_of(request)))
        was = Saved.parse(kept, self.market.clock().date())
        view = offer.offer_view(self.market, offer_id, OfferQuery.parse(asked), was)
        return self.page(request, "offer.html", view=view)

    def accelerators(self, request: Request) -> Response:
        """`/accelerators`: all of them with their cheapest prices."""
        return self.page(request, "accelerators.html", view=reference.accelerators_view(self.market))

    def accelerator(self, request: Request, key: str) -> Response:
        """`/accelerators/{key}`: data sheet, offers and prices over time."""
        view = accelerator_view(self.market, key, asked_once(request))
        return self.page(request, "accelerator.html", view=view)

    def providers(self, request: Request) -> Response:
        """`/providers`: who rents out what."""
        return self.page(request, "providers.html", view=sources.providers_view(self.market))

    def provider(self, request: Request, slug: str) -> Response:
        """`/providers/{slug}`: terms and offers of one provider."""
        view = sources.provider_view(self.market, slug, asked_once(request))
        return self.page(request, "provider.html", view=view)

    def models(self, request: Request) -> Response:
        """`/models`: all model shapes."""
        return self.page(request, "models.html", view=reference.models_view(self.market))

    def model(self, request: Request, key: str) -> Response:
        """`/models/{key}`: one model shape and what to do with it."""
        return self.page(request, "model.html", view=model_view(self.market, key))

    def market_page(self, request: Request) -> Response:
        """`/market`: price levels, index, movers and spread."""
        return self.page(request, "market.html", view=market_view(self.market, asked_once(request)))

    def status(self, request: Request) -> Response:
        """`/status`: how fresh everything is."""
        return self.page(request, "status.html", view=sources.status_view(self.market))

    def methods(self, request: Request) -> Response:
        """`/methods`: formulas, constants, accuracy."""
        return self.page(request, "methods.html", view=reference.methods_view())

    def api(self, request: Request) -> Response:
        """`/api`: the REST API, read off its own description."""
        return self.page(request, "api.html", view=request.app.openapi())

    def page(self, request: Request, template: str, status: int = 200, **view: object) -> HTMLResponse:
        """A page with what every page needs beside its own view."""
        return render(request, template, self.shared() | view, status)

    def shared(self) -> dict[str, object]:
        """What every page needs."""
        return {
            "now": self.market.clock(),
            "models": model_choices(self.market),
            "near": (),
            "reasons": REASONS,
        }


def make_router(market: Market) -> APIRouter:
    """All pages and static files over one market."""
    environment()
    catalogs()
    pages, router = Pages(market), APIRouter(include_in_schema=False)
    asking: dict[str, Callable[..., Response]] = {
        "/": pages.offers,
        "/fit": pages.fit,
        "/offers/{offer_id}": pages.offer,
        "/accelerators/{key}": pages.accelerator,
        "/market": pages.market_page,
    }
    plain: dict[str, Callable[..., Response]] = {
        "/accelerators": pages.accelerators,
        "/providers": pages.providers,
        "/providers/{slug}": pages.provider,
        "/models": pages.models,
        "/models/{key:path}": pages.model,
        "/status": pages.status,
        "/methods": pages.methods,
        "/api": pages.api,
    }
    for path, view in (asking | plain).items():
        told: dict[str, Any] = {"response_class": HTMLResponse, "name": f"page {path}"}
        told["dependencies"] = [] if path in asking else [only(*READ.get(path, ()))]
        router.add_api_route(path, view, methods=["GET", "HEAD"], **told)
    add_table(router, pages)
    add_decisions(router, pages)
    add_fit_file(router, pages)
    add_compare(router, pages)
    add_lessons(router, pages)
    router.include_router(assets.router)
    return router


def moved_to(request: Request, address: str) -> dict[str, str]:
    """What the answer does to the browser's history: an entry of its own, unless it is what the page shows already, or
    the browser is on its way through its history."""
    if is_restored(request):
        return {}
    current = urlsplit(request.headers.get("hx-current-url", ""))
    shown = urlunsplit(current._replace(scheme="", netloc="", fragment=""))
    return {"HX-Replace-Url" if shown == address else "HX-Push-Url": address}


def asked_of(request: Request) -> dict[str, list[str]]:
    """The parameters as given, in order; blanks are no parameters."""
    given: dict[str, list[str]] = {}
    for name, value in request.query_params.multi_items():
        if value.strip():
            given.setdefault(name, []).append(value)
    return given


def is_plain_form(request: Request) -> bool:
    """A form without JavaScript sends its empty fields too; the browser is sent on to the address that says only what
    was asked."""
    return request.headers.get("hx-request") != "true" and "" in request.query_params.values()
