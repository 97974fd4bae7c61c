"""Every page knows its parameters: one that it does not have is refused by name, never passed over.

Pages that ask the market a question (`OfferQuery`) or fill in a form check their whole address themselves; all others
name here what they read.
"""

from __future__ import annotations

from typing import Any

from fastapi import Depends, Request

from app.domain.errors import UnknownParameter

ALWAYS = ("lang",)
"""What every page takes."""


def only(*names: str) -> Any:
    """The dependency of a page that takes these parameters and no others.

    The dependency raises UnknownParameter.
    """
    known = frozenset((*names, *ALWAYS))

    def refuse_unknown(request: Request) -> None:
        for name in request.query_params:
            if name not in known:
                raise UnknownParameter(name[:60], "there is no such parameter")

    return Depends(refuse_unknown)
