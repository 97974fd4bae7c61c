"""OpenComputePrices: the newest day of every file."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from app.providers import discover
from app.providers.port import Part, Payload
from tests.providers.fetching import only, parsed


def test_the_newest_day_counts_in_its_own_currency() -> None:
    node = only("opencomputeprices", instance_type="H100-8", purchase_option="on_demand")
    assert (node.price_per_hour, node.currency, node.accelerator_name) == (Decimal(2000), "INR", "H100 SXM")
    assert only("opencomputeprices", purchase_option="reserved").term_months == 12


def test_a_dictionary_in_text_is_no_memory() -> None:
    assert only("opencomputeprices", instance_type="gpu_1x_a6000").memory_hint_gb is None


def test_what_is_odd_is_refused_and_the_rest_counted() -> None:
    result = parsed("opencomputeprices")
    assert {"an unknown kind of price", "not in the shape we know"} <= {
        reject.reason for reject in result.rejects
    }
    assert result.ignored == {
        "an older day": 1,
        "no accelerator": 1,
        "an accelerator priced without its host": 1,
    }
    assert "gmicloud" in result.unanswered and "e2e" not in result.unanswered


@pytest.mark.shared
def test_a_real_file_is_read_without_loss(shared_dir: Path) -> None:
    text = (shared_dir / "upstream" / "ocp_skypilot_v6_2026-03-21.csv").read_text()
    result = discover()["opencomputeprices"].parse(Payload((Part("skypilot", "https://example.org", text),)))
    assert (
        result.rows_read
        == 12_232
        == result.rows_used + sum(result.ignored.values()) + _unused(len(result.rejects))
    )
    assert {reject.reason for reject in result.rejects} <= {
        "price of zero or less",
        "the same offer at another price",
    }


def _unused(rejects: int) -> int:
    return rejects
