"""Short codes of sources are spelled out."""

from __future__ import annotations

import re

from app.catalog import load_catalog
from app.catalog.citations import cited_in, read_citations


def test_a_cell_names_its_sources_in_order_and_once() -> None:
    assert [one.code for one in cited_in("mem_mib=SCI(a3-highgpu-8g); fp32=DBG; tensor=MLE+AIC; tdp=SCI")] == [
        "SCI", "DBG", "MLE", "AIC",
    ]  # fmt: skip
    assert cited_in("H100 SXM5, see the vendor's page") == []


def test_every_accelerators_fields_name_a_source_that_is_spelled_out() -> None:
    codes = {
        word
        for card in load_catalog().accelerators.values()
        for part in re.findall(r"=([A-Z+]+)", card.source)
        for word in part.split("+")
        if len(word) > 1
    }
    assert codes
    assert codes - read_citations().keys() == {"EXX"}, (
        "of one card; the reference does not say what it stands for"
    )
