"""The API against its own description: made-up requests never break it, and answers are what it promised."""

from __future__ import annotations

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from app.api.routes import describe

OPERATIONS = [(path, method) for path, methods in describe()["paths"].items() for method in methods]
CALM = settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("path, method", OPERATIONS)
def test_every_operation_keeps_its_promises(client: TestClient, path: str, method: str) -> None:
    """What a schema cannot say (a run needs a model, a filter a number) may be refused, in the one error shape."""
    schema = schemathesis.openapi.from_asgi("/openapi.json", client.app)

    @CALM
    @given(schema[path][method].as_strategy())
    def call(case: schemathesis.Case) -> None:
        case.call_and_validate(excluded_checks=[positive_data_acceptance])

    call()
