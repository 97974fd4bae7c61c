"""Compression, security headers and bounded bodies, over real answers."""

from __future__ import annotations

import gzip
from collections.abc import Callable

import brotli
import pytest
from fastapi.testclient import TestClient

from app.api.middleware import SECURITY_HEADERS

LONG = "/api/v1/accelerators"


@pytest.mark.parametrize("path", ["/", "/api/v1/health", "/api/v1/nothing", "/nothing", "/static/app.css"])
def test_every_answer_has_the_security_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert set(SECURITY_HEADERS) <= set(headers)
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src")
    assert "unsafe" not in policy
    assert "http" not in policy


@pytest.mark.parametrize(
    "accepted, encoding, unpack",
    [("gzip, br", "br", brotli.decompress), ("gzip", "gzip", gzip.decompress)],
)
def test_text_is_compressed_as_the_client_prefers(
    client: TestClient, accepted: str, encoding: str, unpack: Callable[[bytes], bytes]
) -> None:
    plain = client.get(LONG, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    with client.stream("GET", LONG, headers={"accept-encoding": accepted}) as answer:
        packed = b"".join(answer.iter_raw())
    assert answer.headers["content-encoding"] == encoding
    assert "accept-encoding" in answer.headers["vary"].lower()
    assert len(packed) < len(plain.content) / 3
    assert unpack(packed) == plain.content


def test_a_streamed_csv_is_compressed_whole(client: TestClient) -> None:
    path = "/api/v1/offers.csv?per_page=all"
    plain = client.get(path, headers={"accept-encoding": "identity"}).text
    assert client.get(path, headers={"accept-encoding": "br"}).text == plain
    assert plain.count("\r\n") > 5000


def test_small_answers_are_left_alone(client: TestClient) -> None:
    assert "content-encoding" not in client.get("/api/v1/health", headers={"accept-encoding": "br"}).headers


def test_a_body_above_the_limit_is_refused_before_it_is_read_further(client: TestClient) -> None:
    answer = client.post("/api/v1/estimates", content=b" " * 300_000)
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "too_large"


@pytest.mark.parametrize("path", ["/api/v1/offers", "/api/v1/health", "/"])
def test_head_is_get_without_the_body(client: TestClient, path: str) -> None:
    answer = client.head(path)
    assert answer.status_code == 200
    assert answer.content == b""
    assert answer.headers["content-type"] == client.get(path).headers["content-type"]
