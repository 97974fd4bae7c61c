"""What the commands share: settings, the market, the run that is asked about, and where words go."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import orjson
import typer
from pydantic import ValidationError

from app import log as logs
from app.api.plain import encode
from app.domain.errors import BadInput
from app.domain.run import TrainingRun
from app.market.retention import Retention
from app.market.service import Market
from app.settings import PREFIX, Settings, provider_keys
from app.workers import entry
from app.workers.manners import Manners


def read_settings(**given: object) -> Settings:
    """The settings of this process; `given` (options) wins over the environment, None is "not given".

    Raises:
        BadInput: a variable holds something else than it should; names the variable.
    """
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise BadInput(f"{PREFIX}{str(first['loc'][0]).upper()}", first["msg"]) from None


def open_market() -> tuple[Settings, Market]:
    """Settings and a market over their database, seeded where it was empty. Quiet: stdout is for answers."""
    settings = read_settings()
    logs.configure("warning", settings.log_json)
    return settings, Market.at(settings.database_url)


def listen(host: str, port: int) -> socket.socket:
    """The socket that the service answers on, taken before anything slow begins; 0 is any free port.

    Raises:
        BadInput: the address is taken, or is none of this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        field = "host" if isinstance(error, socket.gaierror) else "port"
        raise BadInput(
            field, f"cannot listen on {host}:{port}: {str(error.strerror).partition(' (while')[0]}"
        ) from None


def manners(settings: Settings, heard: Callable[[str, int], object] | None = None) -> Manners:
    """How this process behaves towards providers; `heard` is told of every piece that arrives."""
    return Manners(contact=settings.contact, via=settings.via, heard=heard)


def workshop(
    settings: Settings, market: Market, heard: Callable[[str, int], object] | None = None
) -> entry.Workshop:
    """What work on prices needs."""
    keep = Retention.of_days(**settings.keep_days)
    return entry.Workshop(
        market.engine,
        market.catalog,
        provider_keys(),
        manners(settings, heard),
        settings.http_cache,
        keep,
        settings.off,
    )


def read_run(name: str) -> TrainingRun:
    """A training run from a JSON file or stdin.

    Raises:
        BadInput: no such file, no JSON object, or a field that is wrong.
    """
    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        fields = orjson.loads(raw)
    except OSError as error:
        raise BadInput("RUN.json", f"{name}: {error.strerror}") from None
    except orjson.JSONDecodeError as error:
        raise BadInput("RUN.json", f"{name} is not valid JSON: {error}") from None
    if not isinstance(fields, dict):
        raise BadInput("RUN.json", f"{name} is not a JSON object")
    run = TrainingRun.from_fields(fields)
    if not run.names_a_model:
        raise BadInput(
            "model", "say which model is trained: model, config, parameters or layers and hidden_size"
        )
    return run


def run_async(work: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine to its end."""
    return asyncio.run(work)


def say(line: str) -> None:
    """A line for a person, on stderr."""
    print(line, file=sys.stderr)


def refuse(line: str) -> typer.Exit:
    """Say why the answer is no; raise what this returns."""
    say(line)
    return typer.Exit(1)


def print_json(value: Any) -> None:
    """JSON on stdout."""
    sys.stdout.write(encode(value, indent=True).decode() + "\n")
