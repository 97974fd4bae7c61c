"""One's own trial: what bounded it, and how far its correction carries."""

from __future__ import annotations

import pytest

from app.domain.errors import BadInput
from app.training.calibration import Utilisation, correct, diagnose, read_nvidia_smi

SMI = """timestamp, utilization.gpu [%], utilization.memory [%], power.draw [W], enforced.power.limit [W], memory.used [MiB], pcie.link.gen.gpucurrent, pcie.link.width.current
2026/11/30 08:00:00.000, 0 %, 0 %, 70.12 W, 700.00 W, 4 MiB, 5, 16
2026/11/30 08:00:01.000, 99 %, 41 %, 640.00 W, 700.00 W, 71680 MiB, 5, 16
2026/11/30 08:00:02.000, 97 %, 43 %, 660.00 W, 700.00 W, 72704 MiB, 5, 16
2026/11/30 08:00:03.000, [N/A], [N/A], [N/A], 700.00 W, 72704 MiB, 5, 16
2026/11/30 08:00:04.000, 98 %, 42 %, 650.00 W, 700.00 W, 72704 MiB, 5, 16
2026/11/30 08:00:05.000, 0 %, 0 %, 90.00 W, 700.00 W, 4 MiB, 5, 16
"""


def test_a_pasted_query_is_averaged_over_the_time_it_worked() -> None:
    used = read_nvidia_smi(SMI)
    assert used.busy == pytest.approx(0.98)
    assert used.memory == pytest.approx(0.42)
    assert used.power == pytest.approx(650 / 700)
    assert used.peak_memory_gib == pytest.approx(71.0)
    assert used.link_limit_gbytes_per_s == pytest.approx(126.0)
    assert used.samples == 4


def test_a_hot_and_busy_accelerator_is_compute_bound() -> None:
    found = diagnose(read_nvidia_smi(SMI))
    assert found.bound == "compute"
    assert "98%" in str(found.why)


@pytest.mark.parametrize(
    ("used", "bound"),
    [
        (Utilisation(busy=0.95, memory=0.85, power=0.5), "memory"),
        (
            Utilisation(busy=0.97, memory=0.3, power=0.45, link_gbytes_per_s=22, link_limit_gbytes_per_s=50),
            "link",
        ),
        (Utilisation(busy=0.55, power=0.4, link_gbytes_per_s=25, link_limit_gbytes_per_s=50), "link"),
        (Utilisation(busy=0.35, memory=0.1, power=0.3), "input"),
        (Utilisation(busy=0.6, link_gbytes_per_s=0.5, link_limit_gbytes_per_s=50), "input"),
        (Utilisation(busy=0.6), "unclear"),
        (Utilisation(busy=0.95, memory=0.3, power=0.4), "unclear"),
    ],
)
def test_each_bound_is_told_from_its_figures(used: Utilisation, bound: str) -> None:
    assert diagnose(used).bound == bound


@pytest.mark.parametrize(
    "text",
    ["", "hello", "1, 2, 3", "utilization.gpu [%]\n0 %\n0 %", "utilization.memory [%]\n40 %"],
)
def test_a_paste_that_says_nothing_is_refused(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_nvidia_smi(text)
    assert caught.value.field == "utilisation"


def test_a_correction_holds_on_the_same_card_and_half_elsewhere() -> None:
    found = correct("h100-sxm5-80gb", 8000.0, 10_000.0, 60.0, 50.0)
    assert found.speed_for("h100-sxm5-80gb") == pytest.approx(0.8)
    assert 0.8 < found.speed_for("a100-sxm4-80gb") == pytest.approx(0.8**0.5)
    assert found.memory == pytest.approx(1.2)


def test_what_was_not_measured_corrects_nothing() -> None:
    found = correct("h100-sxm5-80gb", None, 10_000.0)
    assert found.speed == found.memory == 1.0


def test_a_trial_that_cannot_be_the_same_run_is_refused() -> None:
    with pytest.raises(BadInput, match="measured_tokens_per_s"):
        correct("h100-sxm5-80gb", 100.0, 10_000.0)
