"""Static files: read once, addressed by content, served with a year of caching under their digest."""

from __future__ import annotations

import hashlib
import mimetypes
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import brotli
from fastapi import APIRouter, Request, Response

STATIC = Path(__file__).resolve().parents[2] / "static"
_FOREVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Asset:
    """One file with its compressed form; `digest` is the address that changes with the content."""

    body: bytes
    compressed: bytes
    media_type: str
    digest: str


@cache
def assets() -> dict[str, Asset]:
    """File name → asset, for everything in `static/`."""
    return {path.name: _read(path) for path in sorted(STATIC.iterdir()) if path.is_file()}


@cache
def asset_url(name: str) -> str:
    """Address of a static file that may be cached for ever.

    Raises:
        KeyError: there is no such file.
    """
    return f"/static/{name}?v={assets()[name].digest}"


router = APIRouter(include_in_schema=False)


@router.get("/static/{name}")
def static_file(name: str, request: Request, v: str = "") -> Response:
    """One file of `static/`, brotli where the browser takes it."""
    asset = assets().get(name)
    if asset is None:
        return Response("no such file", status_code=404, media_type="text/plain")
    headers = {"cache-control": _FOREVER if v == asset.digest else "no-cache", "vary": "accept-encoding"}
    headers |= {"etag": f'"{asset.digest}"', "x-content-type-options": "nosniff"}
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers=headers)
    if "br" in request.headers.get("accept-encoding", ""):
        return Response(
            asset.compressed, media_type=asset.media_type, headers=headers | {"content-encoding": "br"}
        )
    return Response(asset.body, media_type=asset.media_type, headers=headers)


def _read(path: Path) -> Asset:
    body = path.read_bytes()
    media_type = mimetypes.guess_type(path.name)[0] or "text/plain"
    compressed = brotli.compress(body, quality=9)
    return Asset(body, compressed, media_type, hashlib.sha256(body).hexdigest()[:12])
