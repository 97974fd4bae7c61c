"""Every page: a question in, a market use case, a template out."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app.domain.errors import BadInput, NotFound
from app.market.query import OfferQuery
from app.market.reasons import REASONS
from app.market.service import Market
from app.web import assets, errors, fit, offer, offers, reference
from app.web.models import model_choices, near, resolve_model
from app.web.offers import refused_view
from app.web.question import href
from app.web.templating import environment, render


class Pages:
    """The views. Each hands the question to the market and the answer to a template."""

    def __init__(self, market: Market) -> None:
        self.market = market

    def offers(self, request: Request) -> Response:
        """`/`: the comparison."""
        asked = resolve_model(self.market, asked_of(request))
        try:
            query = OfferQuery.parse(asked)
            if (moved := to_canonical(request, query, "/")) is not None:
                return moved
            view = offers.offers_view(self.market, query)
        except (BadInput, NotFound) as error:
            refusal = errors.as_bad_input(error)
            hints = near(self.market, asked, refusal)
            return self.page(request, "offers.html", 422, view=refused_view(asked, refusal), near=hints)
        return self.page(request, "offers.html", headers=address(query, "/"), view=view)

    def fit(self, request: Request) -> Response:
        """`/fit`: the run's answer before any price."""
        asked = resolve_model(self.market, asked_of(request))
        try:
            query = OfferQuery.parse(asked)
            if (moved := to_canonical(request, query, "/fit")) is not None:
                return moved
            view = fit.fit_view(self.market, query)
        except (BadInput, NotFound) as error:
            refusal = errors.as_bad_input(error)
            hints = near(self.market, asked, refusal)
            return self.page(request, "fit.html", 422, view=fit.refused_view(asked, refusal), near=hints)
        return self.page(request, "fit.html", headers=address(query, "/fit"), view=view)

    def columns(self, request: Request) -> Response:
        """`/columns`: choose the table's columns."""
        query = OfferQuery.parse(asked_of(request))
        return self.page(request, "columns.html", view=offers.chooser_view(query))

    def offer(self, request: Request, offer_id: str) -> Response:
        """`/offers/{id}`: one offer; with a run every term of it."""
        query = OfferQuery.parse(resolve_model(self.market, asked_of(request)))
        return self.page(request, "offer.html", view=offer.offer_view(self.market, offer_id, query))

    def accelerators(self, request: Request) -> Response:
        """`/accelerators`: all of them with their cheapest prices."""
        return self.page(request, "accelerators.html", view=reference.accelerators_view(self.market))

    def accelerator(self, request: Request, key: str) -> Response:
        """`/accelerators/{key}`: data sheet, offers and prices over time."""
        return self.page(request, "accelerator.html", view=reference.accelerator_view(self.market, key))

    def providers(self, request: Request) -> Response:
        """`/providers`: who rents out what."""
        return self.page(request, "providers.html", view=reference.providers_view(self.market))

    def provider(self, request: Request, slug: str) -> Response:
        """`/providers/{slug}`: terms and offers of one provider."""
        return self.page(request, "provider.html", view=reference.provider_view(self.market, slug))

    def models(self, request: Request) -> Response:
        """`/models`: all model shapes."""
        return self.page(request, "models.html", view=reference.models_view(self.market))

    def model(self, request: Request, key: str) -> Response:
        """`/models/{key}`: one model shape and what to do with it."""
        return self.page(request, "model.html", view=reference.model_view(self.market, key))

    def status(self, request: Request) -> Response:
        """`/status`: how fresh everything is."""
        return self.page(request, "status.html", view=reference.status_view(self.market))

    def methods(self, request: Request) -> Response:
        """`/methods`: formulas, constants, accuracy."""
        return self.page(request, "methods.html", view=reference.methods_view())

    def page(
        self,
        request: Request,
        template: str,
        status: int = 200,
        headers: dict[str, str] | None = None,
        **view: object,
    ) -> HTMLResponse:
        """A page with what every page needs beside its own view."""
        shared = {
            "now": self.market.clock(),
            "models": model_choices(self.market),
            "near": (),
            "reasons": REASONS,
        }
        return render(request, template, shared | view, status, headers)


def make_router(market: Market) -> APIRouter:
    """All pages and static files over one market."""
    environment()
    pages, router = Pages(market), APIRouter(include_in_schema=False)
    views: dict[str, Callable[..., Response]] = {
        "/": pages.offers,
        "/fit": pages.fit,
        "/columns": pages.columns,
        "/offers/{offer_id}": pages.offer,
        "/accelerators": pages.accelerators,
        "/accelerators/{key}": pages.accelerator,
        "/providers": pages.providers,
        "/providers/{slug}": pages.provider,
        "/models": pages.models,
        "/models/{key:path}": pages.model,
        "/status": pages.status,
        "/methods": pages.methods,
    }
    for path, view in views.items():
        router.add_api_route(
            path, view, methods=["GET", "HEAD"], response_class=HTMLResponse, name=f"page {path}"
        )
    router.include_router(assets.router)
    return router


def asked_of(request: Request) -> dict[str, list[str]]:
    """The parameters as given, in order; blanks are no parameters."""
    given: dict[str, list[str]] = {}
    for name, value in request.query_params.multi_items():
        if value.strip():
            given.setdefault(name, []).append(value)
    return given


def to_canonical(request: Request, query: OfferQuery, path: str) -> Response | None:
    """A plain form sends its empty fields too: send the browser on to the address that says only what was asked."""
    if request.headers.get("hx-request") == "true" or not any(
        value == "" for value in request.query_params.values()
    ):
        return None
    return RedirectResponse(href(query, path), status_code=303)


def address(query: OfferQuery, path: str) -> dict[str, str]:
    """The address that htmx shows for an answer."""
    return {"HX-Push-Url": href(query, path)}
