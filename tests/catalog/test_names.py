"""Names → accelerators: evidence in its order, and honest answers where it does not suffice."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalog import Catalog, load_catalog
from app.market.accuracy.names import answer

Hint = float | None


def got(catalog: Catalog, name: str, provider: str = "", memory: Hint = None, **more: object) -> str:
    return answer(catalog.resolve(name, provider or None, memory_gb=memory, **more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "provider", "memory", "expected"),
    [
        ("A100 SXM4", "", 80, "a100-sxm4-80gb"),
        ("A100", "", 80, "ambiguous"),
        ("H100", "", 94, "h100-nvl-94gb"),
        ("H100", "", None, "ambiguous"),
        ("RTX 6000", "", 24, "quadro-rtx-6000-24gb"),
        ("RTX 6000", "", 48, "rtx-6000-ada-48gb"),
        ("RTX 6000", "", 96, "ambiguous"),
        ("RTX 6000 (Turing)", "", None, "quadro-rtx-6000-24gb"),
        ("NVIDIA GeForce RTX 4090", "", 48, "rtx-4090-48gb-mod"),
        ("H100 80GB HBM2e", "", None, "h100-pcie-80gb"),
        ("1xH100PCIe", "", None, "h100-pcie-80gb"),
        ("8x A100SXM4 80GB", "", None, "a100-sxm4-80gb"),
        ("a100-pcie-40", "", None, "a100-pcie-40gb"),
        ("Tesla V100 NVLink", "", 16, "v100-sxm2-16gb"),
        ("MI325X", "", 288, "mi325x-256gb"),
        ("MI250", "", 64, "mi250-128gb"),
        ("H100 NVL PCIe", "", None, "h100-nvl-94gb"),
        ("H100 PCIe 94GB", "", None, "h100-nvl-94gb"),
        ("H100 PCIe", "", 94, "h100-nvl-94gb"),
        ("H200 PCIe", "", None, "h200-nvl-141gb"),
        ("DGX H100", "", None, "h100-sxm5-80gb"),
        ("8x H100 SXM 640GB", "", None, "h100-sxm5-80gb"),
        ("2x A10 48GB", "", None, "a10-24gb"),
        ("MI300", "", 192, "mi300x-192gb"),
        ("MI300", "", None, "ambiguous"),
        ("RTX 6000 Blackwell Server Edition", "", None, "rtx-pro-6000-server-96gb"),
        ("8x NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "", None, "rtx-pro-6000-maxq-96gb"),
    ],
)
def test_form_factor_and_memory_are_evidence(
    catalog: Catalog, name: str, provider: str, memory: Hint, expected: str
) -> None:
    assert got(catalog, name, provider, memory) == expected


@pytest.mark.parametrize(
    ("name", "memory"),
    [
        ("NVIDIA B300 SXM", 192),
        ("RTX 4080 SUPER", 32),
        ("RTX 3060", 8),
        ("RTX 2080 Ti 22GB", None),
        ("A40", 16),
        ("RTX 4090 Ampere", None),
        ("RTX PRO-A6000 SE", None),
        ("V100-SXM3-32GB", None),
        ("V100 FHHL", 16),
        ("TITAN V CEO", None),
    ],
)
def test_a_contradiction_is_unknown_and_never_the_nearest_card(
    catalog: Catalog, name: str, memory: Hint
) -> None:
    assert got(catalog, name, "", memory) == "unknown"


@pytest.mark.parametrize(
    "name",
    [
        "RTX 3060 Ti",
        "RTX 5090 D",
        "RTX 4090 Super",
        "RTX 2080",
        "A100X",
        "H100T",
        "L40G",
        "P4000",
        "Quadro P5000",
        "GTX 1080 Ti",
        "TITAN Xp",
        "RTX 5880Ada",
        "RTX PRO 4000 Blackwell SFF Edition",
        "NVIDIA GPU",
        "CPU",
        "",
    ],
)
def test_a_near_miss_of_a_name_is_unknown(catalog: Catalog, name: str) -> None:
    assert got(catalog, name) == "unknown"


@pytest.mark.parametrize(
    ("longer", "shorter"),
    [
        ("RTX 4070 Ti SUPER", "RTX 4070 Ti"),
        ("RTX 4070 Ti", "RTX 4070"),
        ("L40S", "L40"),
        ("A10G", "A10"),
        ("T4G", "T4"),
    ],
)
def test_the_longest_name_wins(catalog: Catalog, longer: str, shorter: str) -> None:
    assert got(catalog, longer) != got(catalog, shorter) != "unknown"


@pytest.mark.parametrize(
    ("name", "provider", "memory", "expected"),
    [
        ("A100", "aws", 40, "a100-sxm4-40gb"),
        ("A100", "azure", 80, "ambiguous"),
        ("A100-80GB", "lambda", 80, "a100-sxm4-80gb"),
        ("H100", "ovhcloud", 80, "h100-pcie-80gb"),
        ("A100 NVLink", "hyperstack", 80, "a100-pcie-80gb"),
        ("A100 NVLink", "thundercompute", 80, "ambiguous"),
        ("RTX PRO 6000", "runpod", 96, "rtx-pro-6000-server-96gb"),
        ("RTX PRO 6000", "vastai", 96, "ambiguous"),
        ("H200", "vast.ai", None, "h200-sxm-141gb"),
        ("H200", "crusoe", 141, "ambiguous"),
    ],
)
def test_a_providers_habit_decides_only_at_that_provider(
    catalog: Catalog, name: str, provider: str, memory: Hint, expected: str
) -> None:
    assert got(catalog, name, provider, memory) == expected


def test_the_instance_type_comes_first(catalog: Catalog) -> None:
    found = catalog.resolve("NVIDIA L40", "aws", "g6f.4xlarge", 48)
    assert (found.status, found.key, found.count) == ("slice", "l4-24gb", 0.5)
    assert "g6f.4xlarge" in str(found.why)


def test_the_count_of_the_instance_type_corrects_the_source(catalog: Catalog) -> None:
    assert catalog.resolve("H100", "azure", "Standard_ND96isr_H100_v5", 80, count=12).count == 8
    assert catalog.resolve("K80", "aws", "p2.8xlarge", 12, count=4).count == 8


@pytest.mark.parametrize(
    ("provider", "instance_type", "key", "count"),
    [
        ("aws", "p5en.24xlarge", "h200-sxm-141gb", None),
        ("azure", "Standard_NV24ads_A10_v5", "a10-24gb", 24 / 36),
        ("gcp", "a2-ultragpu-2g", "a100-sxm4-80gb", 2),
        ("gcp", "g4-standard-24", "rtx-pro-6000-server-96gb", 0.5),
        ("oci", "BM.GPU.H100-NC.8", "h100-sxm5-80gb", 8),
        ("vultr", "vcg-l40s-8c-90g-24vram", "l40s-48gb", 0.5),
        ("digitalocean", "gpu-mi325x8-2048gb", "mi325x-256gb", 8),
        ("verda", "8H200.141S.176V", "h200-sxm-141gb", 8),
        ("nebius", "gpu-b200-sxm_8gpu-160vcpu-1792gb", "b200-sxm-180gb", 8),
        ("scaleway", "H100-SXM-2-80G", "h100-sxm5-80gb", 2),
    ],
)
def test_types_that_no_table_lists_are_read_by_the_providers_way_of_naming(
    catalog: Catalog, provider: str, instance_type: str, key: str, count: float | None
) -> None:
    found = catalog.resolve("", provider, instance_type)
    assert found.key == key
    assert found.count == (None if count is None else pytest.approx(count))


def test_host_memory_in_a_type_is_not_accelerator_memory(catalog: Catalog) -> None:
    found = catalog.resolve("H100", "nebius", "gpu-h100-sxm_1gpu-16vcpu-200gb")
    assert found.memory_gib == pytest.approx(79.65, abs=0.01)


def test_words_of_the_type_decide_where_the_name_leaves_it_open(catalog: Catalog) -> None:
    found = catalog.resolve("A100", "cudo", "intel-ice-lake-a100-pcie-80g", 80)
    assert (found.status, found.key) == ("known", "a100-pcie-80gb")
    open_still = catalog.resolve("A100", "cudo", "epyc-genoa-a100-pcie")
    assert open_still.candidates == ("a100-pcie-80gb", "a100-pcie-40gb")


def test_words_of_the_type_correct_a_name_that_its_memory_contradicts(catalog: Catalog) -> None:
    found = catalog.resolve("RTX4070", "vast", "4x-RTX_4070S_Ti-32-65536", 15.99)
    assert (found.status, found.key) == ("known", "rtx-4070-ti-super-16gb")
    assert catalog.resolve("RTX 5090 D", "vast", "1x-RTX_5090", 32).status == "unknown"
    assert catalog.resolve("RTX 4090 Laptop GPU", "vast", "1x-RTX_4090", 24).status == "unknown"


def test_a_type_may_be_written_with_blanks(catalog: Catalog) -> None:
    assert catalog.resolve("A100 (80 GB)", "azure", "NC48ads A100 v4", 80).count == 2
    assert catalog.resolve("P100", "azure", "NC12s v2", 16).key == "p100-pcie-16gb"


@pytest.mark.parametrize("vendor", ["", "NVIDIA ", "nvidia-"])
@pytest.mark.parametrize("card", ["A100 80GB", "H100 80GB", "Tesla V100", "Tesla A100", "V100 SXM2"])
def test_the_vendors_name_before_it_decides_nothing(catalog: Catalog, vendor: str, card: str) -> None:
    assert got(catalog, vendor + card, "seeweb") == "ambiguous"


@pytest.mark.parametrize(
    "spelling", ["{}", "8x {}", "8×{}", "{} x8", "{} * 8", "{} GPU", "{} Tensor Core GPU"]
)
@pytest.mark.parametrize("card", ["NVIDIA H800", "NVIDIA GH200 480GB", "H200 NVL", "RTX A6000", "MI300X"])
def test_a_count_or_the_word_for_a_card_changes_no_answer(catalog: Catalog, spelling: str, card: str) -> None:
    assert got(catalog, spelling.format(card)) == got(catalog, card) != "unknown"


@pytest.mark.parametrize(
    ("name", "key", "share"),
    [
        ("NVIDIA A100-SXM4-80GB MIG 1g.10gb", "a100-sxm4-80gb", 1 / 8),
        ("NVIDIA A10-8Q", "a10-24gb", 1 / 3),
        ("GRID T4-4Q", "t4-16gb", 1 / 4),
        ("A10 (1/3)", "a10-24gb", 1 / 3),
        ("0.5x L4", "l4-24gb", 1 / 2),
    ],
)
def test_a_slice_names_its_card_and_never_passes_for_it(
    catalog: Catalog, name: str, key: str, share: float
) -> None:
    found = catalog.resolve(name)
    assert (found.status, found.key) == ("slice", key)
    assert found.count == pytest.approx(share)
    assert found.memory_gib == pytest.approx(catalog.accelerator(key).usable_gib * share)


def test_a_profile_as_large_as_the_card_is_the_card(catalog: Catalog) -> None:
    assert got(catalog, "NVIDIA A16-16Q") == "a16-16gb"


def test_a_part_of_a_card_by_count_is_a_slice(catalog: Catalog) -> None:
    found = catalog.resolve("A100 SXM", "somewhere", "part", 80, count=0.5)
    assert (found.status, found.key, found.label) == (
        "slice",
        "a100-sxm4-80gb",
        "1/2 of NVIDIA A100 SXM4 80GB",
    )


@pytest.mark.parametrize(
    ("name", "chips"), [("v4-8", 4), ("v5litepod-8", 8), ("v6e-4", 4), ("v5p-8", 4), ("v2-32", 16)]
)
def test_slices_of_tpus_count_cores_or_chips_as_their_generation_does(
    catalog: Catalog, name: str, chips: float
) -> None:
    assert catalog.resolve(name, "gcp").count == chips


def test_an_ambiguous_answer_names_its_candidates_and_the_least_memory(catalog: Catalog) -> None:
    found = catalog.resolve("H100")
    assert set(found.candidates) == {"h100-sxm5-80gb", "h100-pcie-80gb", "h100-nvl-94gb"}
    assert found.key is None
    assert found.memory_gib == pytest.approx(79.65, abs=0.01)
    assert found.label == "H100, form factor not stated"
    assert catalog.resolve("A100").memory_gib is None
    assert catalog.resolve("A100", memory_gb=80).label == "A100 80 GB, form factor not stated"


def test_an_unknown_card_keeps_its_name_and_its_stated_memory(catalog: Catalog) -> None:
    found = catalog.resolve("GTX  1080 Ti", "salad", memory_gb=11, count=2)
    assert (found.label, found.count) == ("GTX 1080 Ti", 2)
    assert found.memory_gib == pytest.approx(11e9 / 2**30)


@given(
    st.text(max_size=40),
    st.sampled_from([None, "aws", "azure", "gcp", "vultr", "nobody"]),
    st.one_of(st.none(), st.floats(0, 1e4)),
    st.one_of(st.none(), st.floats(0, 64)),
)
def test_every_text_gets_an_answer_that_keeps_its_promises(
    name: str, provider: str | None, memory: Hint, count: Hint
) -> None:
    found = load_catalog().resolve(name, provider, name, memory, count)
    assert (found.key is not None) == (found.status in ("known", "slice"))
    assert bool(found.candidates) == (found.status == "ambiguous")
    assert found.label and str(found.why)


def test_every_alias_means_the_card_it_stands_at(catalog: Catalog) -> None:
    path = Path(__file__).parents[2] / "app" / "catalog" / "data" / "aliases.csv"
    with path.open(newline="", encoding="utf-8") as handle:
        for row in csv.DictReader(handle):
            found = catalog.resolve(row["spelling"], row["provider"] or None)
            assert found.key == row["key"], row


@pytest.mark.parametrize("shift", [-0.06, 0.0, 0.06])
def test_a_cards_own_memory_never_contradicts_its_name(catalog: Catalog, shift: float) -> None:
    for key, card in catalog.accelerators.items():
        found = catalog.resolve(card.name, memory_gb=card.memory_nominal_gb * (1 + shift))
        assert found.key in (key, None), f"{card.name} became {found.key}"
        assert found.status != "unknown", card.name


@pytest.mark.shared
def test_no_key_contradicts_the_memory_that_gathered_offers_state(catalog: Catalog, shared_dir: Path) -> None:
    known_traps = {("aws", "ARM Mali-G78MP12"), ("aws", "NVIDIA L40")}
    with (shared_dir / "offers" / "offers.csv").open(newline="", encoding="utf-8") as handle:
        rows = {
            (r["gpu_raw_name"], r["provider"], r["instance_type"], r["gpu_memory_gb"])
            for r in csv.DictReader(handle)
        }
    named = 0
    for raw, provider, instance_type, memory in rows:
        stated = float(memory) if memory else None
        found = catalog.resolve(raw, provider, instance_type, stated)
        named += found.status in ("known", "slice")
        if found.key is None or stated is None or (provider, raw) in known_traps:
            continue
        card = catalog.accelerator(found.key)
        sizes = (card.memory_nominal_gb, card.usable_gib)
        assert any(abs(stated - size) <= 0.12 * size for size in sizes), (
            raw,
            provider,
            instance_type,
            found.key,
        )
    assert named / len(rows) > 0.6
