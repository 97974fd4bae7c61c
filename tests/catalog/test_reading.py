"""A name taken apart, before any table is asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalog.reading import Reading, letters_and_digits, read_name


@pytest.mark.parametrize(
    ("name", "reading"),
    [
        ("NVIDIA H100 80GB HBM3", Reading("nvidia h100 hbm3", (80.0,))),
        ("  nvidia   l40s 48gb ", Reading("nvidia l40s", (48.0,))),
        ("8x nvidia-h100-sxm", Reading("nvidia h100 sxm", count=8)),
        ("A100x8", Reading("a100", count=8)),
        ("mi300x8", Reading("mi300x", count=8)),
        ("8×4090", Reading("4090", count=8)),
        ("T4 * 2", Reading("t4", count=2)),
        ("AMDMI300X", Reading("amd mi300x")),
        ("RTX 4090 (24 GB)", Reading("rtx 4090", (24.0,))),
        ("NVIDIA GH200 144G HBM3e", Reading("nvidia gh200 hbm3e", (144.0,))),
        ("pro6000se PCIe", Reading("pro6000 se pcie")),
        ("RTX6000ADA", Reading("rtx6000 ada")),
        ("GeForceRTX4090", Reading("geforce rtx4090")),
        ("H100 (79.65 GiB)", Reading("h100", (79.65,))),
    ],
)
def test_counts_and_sizes_are_taken_out_of_the_words(name: str, reading: Reading) -> None:
    assert read_name(name) == reading


@pytest.mark.parametrize(
    ("name", "slice_gb"),
    [
        ("NVIDIA A100-SXM4-80GB MIG 1g.10gb", 10),
        ("MIG 3g.40gb", 40),
        ("NVIDIA A10-8Q", 8),
        ("A10 8Q", 8),
        ("vGPU of L4", None),
    ],
)
def test_a_shared_card_is_seen_with_the_size_of_its_part(name: str, slice_gb: float | None) -> None:
    reading = read_name(name)
    assert reading.shared and reading.slice_gb == slice_gb


@pytest.mark.parametrize(
    ("name", "share"),
    [("1/8 L4", 1 / 8), ("A10 (1/3)", 1 / 3), ("0.5x L4", 0.5), (".25 x A10", 0.25)],
)
def test_a_fraction_of_a_card_is_no_whole_card(name: str, share: float) -> None:
    reading = read_name(name)
    assert reading.shared and reading.share == pytest.approx(share)


@pytest.mark.parametrize("name", ["RTX 3080 10/12GB", "24/7 T4", "1/2/4x H100", "A100 40/80", "Ascend 910B"])
def test_not_every_slash_or_letter_is_a_part_of_a_card(name: str) -> None:
    assert not read_name(name).shared


@pytest.mark.parametrize(
    "name", ["NVIDIA GeForce ...", "RTX 4090 Laptop GPU", "RTX 3060 laptop", "RTX 4080 Mobile"]
)
def test_laptop_chips_and_names_cut_short_are_refused(name: str) -> None:
    assert read_name(name).refused


@given(st.text(max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    reading = read_name(text)
    assert reading.text == reading.text.lower()
    assert "  " not in reading.text


@given(st.text(alphabet="aZ09 -_./()", max_size=30))
def test_aliases_compare_on_letters_and_digits_alone(text: str) -> None:
    plain = letters_and_digits(text)
    assert letters_and_digits(f" {plain.upper()}-") == plain
