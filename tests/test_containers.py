"""Containers, without a daemon: the compose file is valid and says what it should, the Dockerfile has no fault."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOOLS = Path(sys.executable).parent


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    """The compose file's services, as compose itself reads them."""
    command = [TOOLS / "docker-compose", "--file", ROOT / "docker-compose.yml", "config", "--format", "json"]
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
    shown = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert shown.returncode == 0, shown.stderr
    assert "level=warning" not in shown.stderr
    found: dict[str, Any] = json.loads(shown.stdout)["services"]
    return found


def test_compose_starts_database_migration_two_webs_behind_a_proxy_and_two_workers(
    services: dict[str, Any],
) -> None:
    assert set(services) == {"database", "migrate", "web", "worker", "proxy"}
    assert {name: services[name]["deploy"]["replicas"] for name in ("web", "worker")} == {
        "web": 2,
        "worker": 2,
    }
    assert [name for name, service in services.items() if service.get("ports")] == ["proxy"]


def test_nothing_works_on_a_database_that_is_not_migrated(services: dict[str, Any]) -> None:
    assert services["migrate"]["depends_on"]["database"]["condition"] == "service_healthy"
    for name in ("web", "worker"):
        assert services[name]["depends_on"]["migrate"]["condition"] == "service_completed_successfully"


def test_our_containers_may_do_as_little_as_possible(services: dict[str, Any]) -> None:
    for name in ("migrate", "web", "worker"):
        assert services[name]["read_only"]
        assert services[name]["cap_drop"] == ["ALL"]
        assert services[name]["environment"]["RACKRATE_DATABASE_URL"].startswith("postgresql://")


def test_dockerfile_has_no_fault() -> None:
    linted = subprocess.run([TOOLS / "hadolint", ROOT / "Dockerfile"], capture_output=True, text=True)
    assert linted.returncode == 0, linted.stdout + linted.stderr


def test_image_does_not_run_as_root_and_holds_what_the_program_reads() -> None:
    text = (ROOT / "Dockerfile").read_text()
    last = text.split("FROM ")[-1]
    assert re.search(r"^USER [1-9]\d+$", last, re.MULTILINE)
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    for needed in (
        "app",
        "migrations",
        "templates",
        "static",
        "alembic.ini",
        "requirements.lock",
        "pyproject.toml",
    ):
        assert f"!{needed}" in ignored
        assert re.search(rf"^COPY .*\b{re.escape(needed)}\b", text, re.MULTILINE)
