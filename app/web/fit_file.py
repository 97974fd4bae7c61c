"""A `config.json` sent as a file, for browsers without JavaScript: read once, then it stands in the address."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import FormData, UploadFile

from app.domain.errors import BadInput
from app.domain.sentence import Sentence
from app.market.query import MAX_QUERY_CHARACTERS, OfferQuery, parse_config
from app.web.decisions import PageMaker
from app.web.fit import refused_view
from app.web.question import Asked, href

FILE = "config_file"


class FitFile:
    """The one view."""

    def __init__(self, pages: PageMaker) -> None:
        self.pages = pages

    async def take(self, request: Request) -> Response:
        """`POST /fit`: the form with its file; the answer is the address of the run. The file is the model."""
        async with request.form(max_files=1, max_fields=100) as form:
            asked = {
                name: [value] for name, value in form.items() if isinstance(value, str) and value.strip()
            }
            asked.pop("model", None)
            try:
                asked["config"] = [await read_config(form)]
                return RedirectResponse(href(OfferQuery.parse(asked), "/fit"), 303)
            except BadInput as error:
                return self._refused(request, asked, error)

    def _refused(self, request: Request, asked: Asked, error: BadInput) -> Response:
        return self.pages.page(request, "fit.html", 422, view=refused_view(asked, error))


async def read_config(form: FormData) -> str:
    """The text of the file that was sent.

    Raises:
        BadInput: there is none, it is no JSON object, or too long for an address.
    """
    file = form.get(FILE)
    text = (await file.read()).decode("utf-8", "replace") if isinstance(file, UploadFile) else ""
    if not text.strip():
        raise BadInput("config", "choose a file, or paste its text")
    parse_config(text)
    if len(urlencode({"config": text})) > MAX_QUERY_CHARACTERS:
        raise BadInput(
            "config", Sentence("is longer than {count} characters", {"count": MAX_QUERY_CHARACTERS})
        )
    return text


def add_fit_file(router: APIRouter, pages: PageMaker) -> None:
    """The route."""
    router.add_api_route("/fit", FitFile(pages).take, methods=["POST"], name="take /fit")
