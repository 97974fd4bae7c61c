"""What went wrong, as a page: the same words as the API, for a person."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse

from app.domain.errors import BadInput, NotFound, RackrateError
from app.domain.sentence import N_, Sentence
from app.web.templating import render

TITLES = {
    404: N_("Not found"),
    405: N_("This page can only be read"),
    422: N_("This question cannot be answered as asked"),
    500: N_("Something broke on our side"),
    503: N_("Not ready yet"),
}


def status_of(error: Exception) -> int:
    """HTTP status of an error."""
    if isinstance(error, BadInput):
        return 422
    return 404 if isinstance(error, NotFound) else 500


def as_bad_input(error: RackrateError) -> BadInput:
    """A refusal that names a field; an unknown model is a wrong value of the field `model`."""
    if isinstance(error, BadInput):
        return error
    if isinstance(error, NotFound):
        return BadInput(error.kind, error.sentence)
    return BadInput("query", str(error))


def error_page(request: Request, error: Exception) -> HTMLResponse:
    """The page for a deliberate error; anything else says no more than that it was logged."""
    status = status_of(error)
    field = error.field if isinstance(error, BadInput) else None
    sentence = error.sentence if isinstance(error, BadInput | NotFound) else None
    return plain_error(request, status, sentence, field)


def _without(request: Request, field: str | None) -> str | None:
    """The address without its parameter `field`; None where it has none such."""
    given = request.query_params.multi_items()
    kept = [(name, value) for name, value in given if name[:60] != field]
    if len(kept) == len(given):
        return None
    return request.url.path + (f"?{urlencode(kept)}" if kept else "")


def plain_error(
    request: Request, status: int, message: str | Sentence | None = None, field: str | None = None
) -> HTMLResponse:
    """An error page by status; `field` is the parameter to correct."""
    title = TITLES.get(status, TITLES[500 if status >= 500 else 404])
    view = {"status": status, "title": title, "message": message, "field": field}
    return render(request, "error.html", view | {"without": _without(request, field)}, status)
