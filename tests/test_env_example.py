"""`.env.example` names everything that can be set."""

from __future__ import annotations

from pathlib import Path

from app.providers import discover
from app.settings import PREFIX, Settings

TEXT = (Path(__file__).resolve().parents[1] / ".env.example").read_text(encoding="utf-8")
NAMED = {line.removeprefix("# ").partition("=")[0] for line in TEXT.splitlines() if "=" in line}


def test_every_setting_and_every_providers_key_is_named() -> None:
    settings = {PREFIX + name.upper() for name in Settings.model_fields}
    keys = {variable for provider in discover().values() for variable in provider.card.variables}
    assert settings | keys == NAMED
