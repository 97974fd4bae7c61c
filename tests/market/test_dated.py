"""Dated files are known by what they are, and dated by what they say."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import orjson
import pytest

from app.catalog.snapshot import OFFER_COLUMNS, SOURCE_COLUMNS
from app.domain.errors import BadInput
from app.market.dated import Dated, read_files

NOW = datetime(2026, 11, 30, tzinfo=UTC)
SKYPILOT = (
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n"
    "gpu_1x_a10,A10,1,30,200,0.75,us-east-1,,\ncpu_4x_general,,,4,16,0.2,us-east-1,,\n"
)
ZONES = "name,cpus,memory_gb,region\na2-highgpu-1g,12,85.00,us-central1\n"
MACHINES = {"a2-highgpu-1g": {"a100": 1, "cpu": 12, "ram": 85, "cost": {"us-central1": {"hour": 3.67, "hour_spot": 1.1},
            "mars1": {"hour": 1.0}}}}  # fmt: skip


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def daily(day: str, price: float = 2.5) -> bytes:
    row = {"provider": "lambda", "gpu": "h100-sxm", "vram_gb": 80, "usd_hr": price, "kind": "on-demand",
           "source_url": "https://lambda.example", "fetched_at": f"{day}T07:00:00.000Z"}  # fmt: skip
    return orjson.dumps({"date": day, "generated_at": f"{day}T07:47:21.064Z", "offers": [row]})


def own(folder: Path, as_of: str = "2026-05-24") -> Path:
    write(folder, "sources.csv", f"{','.join(SOURCE_COLUMNS)}\ns1,list,https://l.example,MIT,{as_of}\n")
    row = {"provider": "lambda", "instance_type": "1x", "accelerator_name": "NVIDIA A10", "accelerator_count": "1",
           "purchase_option": "on_demand", "price_per_hour": "0.75", "currency": "USD", "source": "s1"}  # fmt: skip
    cells = ",".join(row.get(name, "") for name in OFFER_COLUMNS)
    return write(folder, "offers.csv", f"{','.join(OFFER_COLUMNS)}\n{cells}\n")


def read(*paths: Path, day: date | None = None) -> list[Dated]:
    return read_files(paths, day, NOW)


def test_each_format_is_read_by_the_source_that_publishes_it(tmp_path: Path) -> None:
    files = [
        write(tmp_path, "lambda_vms_2026-05-20.csv", SKYPILOT),
        write(tmp_path, "snapshot.json", daily("2026-08-16")),
        write(tmp_path, "gcp_2026-07-30.json", orjson.dumps({"instance": MACHINES})),
        write(tmp_path, "zones_2026-07-30.csv", ZONES),
        own(tmp_path / "own"),
    ]
    found = {dated.card.slug: dated for dated in read(*files)}
    assert {slug: dated.days for slug, dated in found.items()} == {
        "skypilot": [date(2026, 5, 20)],
        "gpurentalprices": [date(2026, 8, 16)],
        "gcp": [date(2026, 7, 30)],
        "snapshot": [date(2026, 5, 24)],
    }
    assert [dated.days[0] for dated in read(*files)] == sorted(dated.days[0] for dated in found.values())
    assert [offer.region for offer in found["gcp"].parsed.offers] == ["us-central1", "us-central1"]
    assert [str(offer.price_per_hour) for offer in found["skypilot"].parsed.offers] == ["0.75"]


def test_a_day_is_needed_once_and_rows_say_their_own(tmp_path: Path) -> None:
    plain = write(tmp_path / "lambda", "vms.csv", SKYPILOT)
    with pytest.raises(BadInput) as refusal:
        read(plain)
    assert refusal.value.field == "--date"
    (dated,) = read(plain, day=date(2026, 5, 20))
    assert dated.days == [date(2026, 5, 20)]
    (dated,) = read(write(tmp_path, "s.json", daily("2026-08-16")), day=date(2026, 5, 20))
    assert dated.days == [date(2026, 8, 16)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a_2026-01-01.csv", "one,two\n1,2\n"),
        ("a_2026-01-01.json", "[]"),
        ("a_2026-01-01.json", "<html>"),
        ("a_2026-13-01.json", daily("2026-08-16")),
        ("b_2027-01-01.json", daily("2027-01-01")),
        ("nobody_2026-01-01.csv", SKYPILOT),
        ("lambda_2026-01-01.csv", SKYPILOT.partition("\n")[0] + "\n"),
        ("lambda_2026-01-01.csv", SKYPILOT[:-9]),
        ("zones_2026-01-01.csv", ZONES),
    ],
)
def test_a_file_that_cannot_be_taken_is_refused_by_name(tmp_path: Path, name: str, text: str | bytes) -> None:
    with pytest.raises(BadInput) as refusal:
        read(write(tmp_path, name, text))
    assert name in str(refusal.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="nothing"):
        read(tmp_path / "nothing.csv")


@pytest.mark.shared
def test_published_files_are_read_where_they_are(shared_dir: Path) -> None:
    folder = shared_dir / "upstream"
    names = sorted(folder.glob("adriannutiu_snapshot_*.json")) + sorted(folder.glob("cyclenerd_gcp_*"))
    names += sorted(folder.glob("anycloud_lambda_vms_*_before.csv"))
    read_ = read(*names)
    assert [dated.days[0].isoformat() for dated in read_][:2] == ["2026-05-07", "2026-07-26"]
    assert all(len(dated.parsed.offers) > 100 for dated in read_)
    with pytest.raises(BadInput, match="no file holds a row"):
        read(*folder.glob("anycloud_lambda_vms_*_header_only.csv"))
