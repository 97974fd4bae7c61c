"""The collected cases of comparable catalogs that names, places and links must answer; ids are those of the list."""

from __future__ import annotations

from decimal import Decimal

import pytest

from app.catalog import Catalog, Resolution, load_catalog
from app.domain.hardware import Fabric
from app.domain.offer import ScrapedOffer


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def fabric(catalog: Catalog, provider: str, instance_type: str, name: str = "") -> Fabric:
    offer = ScrapedOffer(
        provider=provider,
        instance_type=instance_type,
        accelerator_name=name,
        accelerator_count=8,
        region="",
        purchase_option="on_demand",
        price_per_hour=Decimal(1),
    )
    return catalog.hardware_of(offer, catalog.resolve(name, provider, instance_type, count=8)).fabric


def nominal(catalog: Catalog, found: Resolution) -> float | None:
    return catalog.accelerator(found.key).memory_nominal_gb if found.key else None


@pytest.mark.parametrize("instance_type", ["p5e.48xlarge", "p5en.48xlarge"])
def test_g03_h200_of_aws_is_found_by_type_whatever_the_name_says(
    catalog: Catalog, instance_type: str
) -> None:
    found = catalog.resolve("NVIDIA", "aws", instance_type, memory_gb=144384 / 1024, count=8)
    assert (found.key, found.count) == ("h200-sxm-141gb", 8)
    assert nominal(catalog, found) == 141
    assert 141 * found.count == 1128


def test_g05_a_count_of_zero_of_an_eighth_is_an_eighth(catalog: Catalog) -> None:
    found = catalog.resolve("NVIDIA L4", "aws", "g6f.large", memory_gb=2861 / 1024, count=0)
    assert (found.status, found.count) == ("slice", 0.125)
    assert found.memory_gib == pytest.approx(2.81, abs=0.01)


@pytest.mark.parametrize(
    ("instance_type", "share"),
    [("g6f.xlarge", 0.125), ("g6f.2xlarge", 0.25), ("g6f.4xlarge", 0.5), ("gr6f.4xlarge", 0.5)],
)
def test_g06_parts_of_an_l4_have_their_share(catalog: Catalog, instance_type: str, share: float) -> None:
    assert catalog.resolve("L40", "aws", instance_type, 48, 1).count == share


@pytest.mark.parametrize(
    ("vcpus", "share", "memory_gb"), [(6, 1 / 6, 4), (12, 1 / 3, 8), (18, 1 / 2, 12), (36, 1, 24)]
)
def test_g07_parts_of_an_a10_have_their_share_of_memory(
    catalog: Catalog, vcpus: int, share: float, memory_gb: float
) -> None:
    found = catalog.resolve("A10", "azure", f"Standard_NV{vcpus}ads_A10_v5", 24, 1)
    assert found.count == pytest.approx(share, abs=1e-5)
    assert (nominal(catalog, found) or 0) * (found.count or 0) == pytest.approx(memory_gb, abs=0.01)
    assert found.status == ("known" if share == 1 else "slice")


def test_g08_twelve_gpus_of_an_eight_gpu_type_are_eight(catalog: Catalog) -> None:
    assert catalog.resolve("H100", "azure", "Standard_ND96isr_H100_v5", 80, 12).count == 8


def test_g09_a_variant_of_a_type_that_no_map_has_is_read(catalog: Catalog) -> None:
    found = catalog.resolve("", "azure", "Standard_ND96isrf_H100_v5")
    assert (found.key, found.count) == ("h100-sxm5-80gb", 8)


@pytest.mark.parametrize(
    ("instance_type", "each"), [("Standard_ND96asr_v4", 40), ("Standard_ND96amsr_A100_v4", 80)]
)
def test_g11_the_two_a100_types_of_azure_differ_in_memory(
    catalog: Catalog, instance_type: str, each: int
) -> None:
    found = catalog.resolve("A100", "azure", instance_type)
    assert (found.count, nominal(catalog, found)) == (8, each)


def test_g12_mi300x_has_192(catalog: Catalog) -> None:
    assert nominal(catalog, catalog.resolve("MI300X", "azure", "Standard_ND96isr_MI300X_v5", 80)) == 192


def test_g13_and_g14_host_memory_of_a_preset_is_not_that_of_the_card(catalog: Catalog) -> None:
    h100 = catalog.resolve("H100", "nebius", "gpu-h100-sxm_1gpu-16vcpu-200gb")
    b200 = catalog.resolve("B200", "nebius", "gpu-b200-sxm_1gpu-20vcpu-224gb")
    assert (nominal(catalog, h100), nominal(catalog, b200)) == (80, 180)


def test_g17_the_small_g7_holds_an_rtx_pro_4500(catalog: Catalog) -> None:
    found = catalog.resolve("RTX PRO 4500", "aws", "g7.2xlarge")
    assert (found.key, found.count, nominal(catalog, found)) == ("rtx-pro-4500-server-32gb", 1, 32)


def test_g18_compute_capability_is_that_of_the_chip(catalog: Catalog) -> None:
    for instance_type, capability in (("g5.12xlarge", "8.6"), ("g6f.large", "8.9")):
        key = catalog.resolve("", "aws", instance_type).key
        assert key is not None and catalog.accelerator(key).compute_capability == capability


def test_g23_mi325x_has_256_though_288_was_announced(catalog: Catalog) -> None:
    assert nominal(catalog, catalog.resolve("MI325X", memory_gb=288)) == 256


def test_g25_variants_of_h100_stay_apart_and_a_bare_one_is_open(catalog: Catalog) -> None:
    keys = {name: catalog.resolve(name).key for name in ("H100", "H100 NVL", "H100 PCIe", "H100 SXM5")}
    assert keys == {
        "H100": None,
        "H100 NVL": "h100-nvl-94gb",
        "H100 PCIe": "h100-pcie-80gb",
        "H100 SXM5": "h100-sxm5-80gb",
    }
    assert catalog.resolve("H100").status == "ambiguous"
    mega, high = (catalog.resolve("", "gcp", f"a3-{kind}gpu-8g") for kind in ("mega", "high"))
    assert mega.key == high.key == "h100-sxm5-80gb"
    assert fabric(catalog, "gcp", "a3-megagpu-8g") != fabric(catalog, "gcp", "a3-highgpu-8g")


@pytest.mark.parametrize(
    ("name", "key", "label"),
    [
        ("RTX 3060 Ti", None, "RTX 3060 Ti"),
        ("RTX 4070 Ti", "rtx-4070-ti-12gb", None),
        ("RTX 4080 SUPER", "rtx-4080-super-16gb", None),
        ("RTX 4090D", "rtx-4090-d-24gb", None),
    ],
)
def test_g26_suffixes_keep_their_own_card(
    catalog: Catalog, name: str, key: str | None, label: str | None
) -> None:
    found = catalog.resolve(name)
    assert found.key == key
    assert label is None or found.label == label


def test_g27_three_cards_called_6000_are_three(catalog: Catalog) -> None:
    found = [catalog.resolve(name) for name in ("RTX 6000 Ada Generation", "Quadro RTX 6000", "RTX A6000")]
    assert [nominal(catalog, one) for one in found] == [48, 24, 48]
    assert len({one.key for one in found}) == 3


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("RTXPro6000", None),
        ("pro6000se", "rtx-pro-6000-server-96gb"),
        ("pro6000we", "rtx-pro-6000-workstation-96gb"),
    ],
)
def test_g28_editions_of_rtx_pro_6000_are_read(catalog: Catalog, name: str, key: str | None) -> None:
    found = catalog.resolve(name)
    assert found.key == key
    assert found.label.startswith("RTX PRO 6000") or key


@pytest.mark.parametrize("name", ["1", "CPU", "GPU (unspecified)"])
def test_g29_what_is_no_accelerator_is_unknown(catalog: Catalog, name: str) -> None:
    assert catalog.resolve(name).status == "unknown"


def test_g30_memory_follows_from_the_name_only_where_it_is_one(catalog: Catalog) -> None:
    assert round(catalog.resolve("H100").memory_gib or 0) == 80
    assert catalog.resolve("A100").memory_gib is None


def test_g31_rtx_pro_6000_at_gcp_is_g4_alone(catalog: Catalog) -> None:
    types = {
        offer.instance_type.split("-")[0]
        for offer in catalog.snapshot()
        if offer.provider == "gcp" and "RTX PRO 6000" in offer.accelerator_name
    }
    assert types == {"g4"}


def test_g32_sixteen_a100_are_not_sold_where_they_are_not_offered(catalog: Catalog) -> None:
    regions = {
        offer.region
        for offer in catalog.snapshot()
        if offer.provider == "gcp" and offer.accelerator_count == 16
    }
    assert regions and "asia-northeast1" not in regions


@pytest.mark.parametrize(
    ("region", "area"),
    [
        ("us-east-1", "US East"),
        ("eastus2", "US East"),
        ("southcentralus", "US Central"),
        ("CA", "Canada"),
        ("europe-west4", "Europe"),
        ("southeastasia", "APAC"),
        ("brazilsouth", "LATAM"),
        ("israelcentral", "Middle East"),
        ("af-south-1", "Africa"),
        ("", None),
    ],
)
def test_r03_regions_belong_to_market_areas_and_none_is_unknown(
    catalog: Catalog, region: str, area: str | None
) -> None:
    assert catalog.place("", region).area == area


def test_r02_a_zone_lies_in_its_region_and_a_zone_id_is_not_guessed(catalog: Catalog) -> None:
    assert catalog.place("aws", "us-east-1a") == catalog.place("aws", "us-east-1")
    assert catalog.place("aws", "use1-az1").country is None


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("runpod_our_sponsor", "runpod"),
        ("packet.ai_sponsored", "packet_ai"),
        ("lambda_labs", "lambda"),
        ("google cloud", "gcp"),
    ],
)
def test_r05_providers_have_one_name(catalog: Catalog, text: str, slug: str) -> None:
    assert catalog.provider_slug(text) == slug


@pytest.mark.parametrize(
    ("instance_type", "gbps"), [("p4d.24xlarge", 400), ("p5.48xlarge", 3200), ("p5en.48xlarge", 3200)]
)
def test_n01_fabric_of_aws_is_efa_at_its_rate(catalog: Catalog, instance_type: str, gbps: float) -> None:
    found = fabric(catalog, "aws", instance_type)
    assert (found.kind, found.gbps_per_node) == ("efa", gbps)


def test_n03_a3_high_and_a3_mega_differ_in_fabric(catalog: Catalog) -> None:
    assert fabric(catalog, "gcp", "a3-highgpu-8g").gbps_per_node == 800
    assert fabric(catalog, "gcp", "a3-megagpu-8g").gbps_per_node == 1600


def test_n04_a_runpod_cluster_has_at_most_eight_nodes(catalog: Catalog) -> None:
    assert fabric(catalog, "runpod", "cluster 8x H100 SXM", "H100 SXM").max_nodes == 8


def test_n05_an_unknown_fabric_is_unknown(catalog: Catalog) -> None:
    found = fabric(catalog, "somewhere", "8x H100 SXM", "H100 SXM")
    assert (found.kind, found.gbps_per_node, found.proven) == (None, None, False)
