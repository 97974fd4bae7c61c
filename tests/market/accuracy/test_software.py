"""When a row's software is from, out of cells as sources write them."""

from __future__ import annotations

import pytest

from app.market.accuracy.software import Software, software_of


def of(version: str, framework: str = "accelerate") -> Software:
    return software_of({"framework": framework, "framework_version": version})


@pytest.mark.parametrize(
    ("version", "date"),
    [
        ("Feb 2022", (2022, 2)),
        ("8641822 (Oct. 2023), torch 2.1", (2023, 10)),
        ("september-2024", (2024, 9)),
        ("2022-04", (2022, 4)),
        ("2024", (2024, 12)),
        ("2025-2026", (2026, 12)),
        ("torch 2.12-2.13", None),
        ("commit 82023f1", None),
        ("", None),
    ],
)
def test_a_date_is_found_anywhere_and_a_year_reaches_to_its_end(
    version: str, date: tuple[int, int] | None
) -> None:
    assert of(version).date == date


def test_versions_belong_to_what_they_stand_behind() -> None:
    found = of("0.1 (Apr 2024), PyTorch 2.3.1, transformers==4.40, CUDA 12.1")
    assert (found.own, found.torch, found.transformers, found.cuda) == ((0, 1), (2, 3), (4, 40), (12, 1))


def test_a_bare_version_is_the_framework_s_own() -> None:
    assert of("4.1x, V100", "HF Trainer").transformers == (4, 19)
    assert of("4.1x, V100", "axolotl").transformers is None
    assert of("3.x", "ms-swift").own == (3, 99)


@pytest.mark.parametrize(
    ("version", "old"),
    [
        ("2021", True),
        ("Feb 2022", True),
        ("torch 1.13, 2023-05", True),
        ("4.1x, V100, CUDA 11.2", True),
        ("2023-11, torch 2.0, CUDA 11.8", False),
        ("2023", False),
        ("V100", False),
        ("", False),
    ],
)
def test_what_ran_before_pytorch_2_is_told_by_version_then_date(version: str, old: bool) -> None:
    assert of(version, "transformers Trainer").before_pytorch_2 is old


@pytest.mark.parametrize(
    ("version", "old"),
    [
        ("2024, CUDA 11.8", True),
        ("2023-11, torch 2.0", True),
        ("2023-06", True),
        ("Oct 2023", False),
        ("CUDA 12.1, 2022", False),
        ("", False),
    ],
)
def test_what_loads_its_kernels_at_once_is_told_by_cuda_then_torch_then_date(version: str, old: bool) -> None:
    assert of(version).loads_kernels_at_once is old


def test_nothing_said_is_the_newest() -> None:
    found = of("n/a")
    assert found.is_unknown and not found.before_pytorch_2 and not found.loads_kernels_at_once
