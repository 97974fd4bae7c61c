"""Answers kept between runs with their validators, so that the next request asks only for what changed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec


class _Note(msgspec.Struct, frozen=True):
    etag: str | None
    last_modified: str | None
    as_of: datetime | None
    digest: str


class KeptAnswers:
    """A folder with two files an address: the answer and a note. Answers marked `no-store` are not kept."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder

    def validators(self, url: str) -> dict[str, str]:
        """Request headers that ask for the answer only if it differs from the one kept."""
        note = self._note(url)
        if note is None:
            return {}
        wanted = {"If-None-Match": note.etag, "If-Modified-Since": note.last_modified}
        return {header: value for header, value in wanted.items() if value}

    def content(self, url: str) -> tuple[bytes, datetime | None]:
        """The answer kept for the address and the age that its source stated."""
        note = self._note(url)
        return self._body(url).read_bytes(), note.as_of if note else None

    def keep(self, url: str, content: bytes, headers: Mapping[str, str], as_of: datetime | None) -> None:
        """Keep an answer that carries a validator; forget what was kept otherwise."""
        etag, modified = headers.get("etag"), headers.get("last-modified")
        if (not etag and not modified) or "no-store" in headers.get("cache-control", ""):
            self._index(url).unlink(missing_ok=True)
            return
        note = _Note(etag, modified, as_of, hashlib.sha256(content).hexdigest())
        self._write(self._body(url), content)
        self._write(self._index(url), msgspec.json.encode(note))

    def _note(self, url: str) -> _Note | None:
        """The note, if the answer beside it is the one that it describes (a crash may have come between)."""
        try:
            note = msgspec.json.decode(self._index(url).read_bytes(), type=_Note)
            body = self._body(url).read_bytes()
        except (FileNotFoundError, msgspec.DecodeError):
            return None
        return note if hashlib.sha256(body).hexdigest() == note.digest else None

    def _write(self, path: Path, data: bytes) -> None:
        fresh = path.with_suffix(f".{datetime.now(UTC).timestamp()}")
        fresh.write_bytes(data)
        fresh.replace(path)

    def _index(self, url: str) -> Path:
        return self._folder / f"{hashlib.sha256(url.encode()).hexdigest()[:32]}.json"

    def _body(self, url: str) -> Path:
        return self._index(url).with_suffix(".body")
