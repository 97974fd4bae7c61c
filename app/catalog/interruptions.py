"""Published shares of spot instances that a provider took back in a month: `interruption_bands.csv`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import cast

from app.catalog.accelerators import CONFIDENCES
from app.catalog.files import Row, read_table
from app.domain.accelerator import Confidence

BAND_COLUMNS = (
    "provider",
    "instances",
    "share_low",
    "share_high",
    "regions",
    "as_of",
    "source",
    "confidence",
)


@dataclass(frozen=True, slots=True)
class InterruptionBand:
    """Of the instances that match the pattern `instances` (`p3*`), the share taken back in a month, in the middle
    region of `regions`: from `share_low` to below `share_high`, None = open upwards.

    Short-lived instances swell the denominator, so a long job meets more: a bound from below, not a rate.
    """

    instances: str
    share_low: float
    share_high: float | None
    regions: int | None
    as_of: date
    source: str
    confidence: Confidence

    @property
    def at_least(self) -> float:
        """The share to reckon with at least: the upper edge, or the lower where nobody states an upper one."""
        return self.share_low if self.share_high is None else self.share_high


def read_interruption_bands(folder: Path, slugs: Sequence[str]) -> dict[str, tuple[InterruptionBand, ...]]:
    """Provider (one of `slugs`) → bands, of which the first that matches counts.

    Raises:
        CatalogError: malformed, an unknown provider, a pattern twice, a share that is not below 1, edges that cross,
            a day that is none.
    """
    found: dict[str, tuple[InterruptionBand, ...]] = {}
    for row in read_table(folder / "interruption_bands.csv", BAND_COLUMNS):
        slug = row.choice("provider", slugs)
        band = _band(row)
        if any(band.instances == other.instances for other in found.get(slug, ())):
            raise row.fail("instances", "is there twice")
        found[slug] = (*found.get(slug, ()), band)
    return found


def band_of(bands: Sequence[InterruptionBand], instance_type: str) -> InterruptionBand | None:
    """The band of an instance type; None where nobody published one."""
    name = instance_type.lower()
    return next((band for band in bands if fnmatchcase(name, band.instances)), None)


def _band(row: Row) -> InterruptionBand:
    low, high = row.number("share_low"), row.number("share_high")
    if low is None:
        raise row.fail("share_low", "must not be blank")
    for column, share in (("share_low", low), ("share_high", high)):
        if share is not None and share >= 1:
            raise row.fail(column, "must be a share below 1")
    if high is not None and high <= low:
        raise row.fail("share_high", "must be above share_low")
    return InterruptionBand(
        instances=row.required("instances"),
        share_low=low,
        share_high=high,
        regions=row.integer("regions"),
        as_of=_day(row),
        source=row.required("source"),
        confidence=cast(Confidence, row.choice("confidence", CONFIDENCES)),
    )


def _day(row: Row) -> date:
    try:
        return date.fromisoformat(row.required("as_of"))
    except ValueError:
        raise row.fail("as_of", f"{row.text('as_of')!r} is no day (YYYY-MM-DD)") from None
