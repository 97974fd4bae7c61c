"""Free text: every word narrows, nonsense is an error."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.domain.errors import BadInput
from app.market.free_text import parse
from tests.market.samples import ask, market_of, numbers, offer


@pytest.fixture
def found() -> Callable[[str], list[int]]:
    market = market_of(
        offer(1),
        offer(2, accelerator_count=1, price_usd_per_hour=2.5, purchase_option="spot", country="DE", region="eu-central-1",
              continent="Europe"),
        offer(3, accelerator="l4-24gb", accelerator_label="NVIDIA L4", instance_type="g6.xlarge", accelerator_count=1,
              memory_gib_per_accelerator=22.5, intra_node_link=None, fabric="ethernet", fabric_gbps=10,
              price_usd_per_hour=0.8),
        offer(4, accelerator="l40s-48gb", accelerator_label="NVIDIA L40S", instance_type="L40S.1", provider="denvr",
              provider_name="Denvr", country="CA", region="Calgary", accelerator_count=1, memory_gib_per_accelerator=45,
              intra_node_link=None, price_usd_per_hour=1.8),
    )  # fmt: skip
    return lambda text: sorted(numbers(ask(market, "q=" + text.replace("+", "%2B").replace(" ", "+"))))


@pytest.mark.parametrize(
    "text, expected",
    [
        ("8xH100", [1]),
        ("8x H100", [1]),
        ("8× h100", [1]),
        ("h100 eu spot <25", [2]),
        ("h100 germany", [2]),
        ("l4", [3]),
        ("l40s", [4]),
        ("de", [2]),
        ("denvr", [4]),
        ("us on-demand", [1, 3]),
        (">=80gb", [1, 2]),
        ("24gb", [3]),
        ("nvlink", [1, 2]),
        (">1000gbps", [1, 2, 4]),
        ("<= $2 ", [3, 4]),
        ("p5.48xlarge", [1, 2]),
        ("nonsense", []),
        ("h100 nonsense", []),
        ("-spot", [1, 3, 4]),
        ("h100 !aws", []),
        ("-h100", [3, 4]),
        ("<1/gpu", [3]),
        ("<2000/month", [2, 3, 4]),
        (">=100vcpu l4", [3]),
        ("12mo", []),
        ("h100x8", [1]),
        ("H100×1 spot", [2]),
        ("24 GB", [3]),
        ("eu_central_1", [2]),
        ("eu-central1", []),
        ("h-100 spot", [2]),
    ],
)
def test_free_text_narrows_word_by_word(
    found: Callable[[str], list[int]], text: str, expected: list[int]
) -> None:
    assert found(text) == expected


@pytest.mark.parametrize("text", ["-", "!", "--", "…", "l4 -"])
def test_a_word_of_signs_alone_rules_nothing_out_and_the_caption_says_so(
    found: Callable[[str], list[int]], text: str
) -> None:
    assert found(text) == found(text.rstrip("-!… "))
    said = str(ask(market_of(offer(1)), f"q={text}").caption)
    assert f"“{text.split()[-1]}” is passed over" in said


@pytest.mark.parametrize(
    "text", ["<cheap", "<", "h100 >=", "<25 <", "=x", ">1..2", "<3/week", ">5parsecs", "<€3", "<3€/h"]
)
def test_a_comparison_without_a_number_is_an_error_and_never_everything(
    found: Callable[[str], list[int]], text: str
) -> None:
    with pytest.raises(BadInput) as caught:
        found(text)
    assert caught.value.field == "q"


@pytest.mark.parametrize("text", ["<2,5", "h100 <0,75/gpu", "2,5", "$2,50", "<1.000,50", "0,5gb"])
def test_a_decimal_comma_is_refused_with_the_way_to_write_it(text: str) -> None:
    with pytest.raises(BadInput, match=r"write '[^,]*'"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("<1,000", ["<1000"]),
        ("h100,4090 <1,000,000/month", ["h100", "4090", "<1000000/month"]),
        ("<25,>10", ["<25", ">10"]),
    ],
)
def test_commas_part_thousands_and_words(text: str, meant: list[str]) -> None:
    assert [word.typed for word in parse(text).words] == meant
