"""What the commands share: settings, the market, the run that is asked about, and where words go."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import orjson
import typer
from pydantic import ValidationError

from app import log as logs
from app.api.plain import encode
from app.domain.errors import BadInput
from app.domain.run import TrainingRun
from app.market.service import Market
from app.settings import PREFIX, Settings
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


def manners(settings: Settings) -> Manners:
    """How this process behaves towards providers."""
    return Manners(contact=settings.contact, via=settings.via)


def workshop(settings: Settings, market: Market) -> entry.Workshop:
    """What work on prices needs; keys come from the environment."""
    return entry.Workshop(market.engine, market.catalog, os.environ, manners(settings), settings.http_cache)


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
