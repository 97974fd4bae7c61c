"""When a measured row's software is from: dates and versions out of a cell such as `0.1 (Apr 2024), torch 2.3`.

What is not said is taken to be the newest. A year alone reaches to its end, a range (`2025-2026`) to its last.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.market.accuracy.cells import Row, names, word

Version = tuple[int, int]
NEWEST: Version = (9999, 0)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMED = re.compile(rf"\b({'|'.join(_MONTHS)})[a-z]*\.?,?[\s-]*((?:19|20)\d\d)\b")
_DATED = re.compile(r"\b((?:19|20)\d\d)(?:[-/.](0[1-9]|1[0-2])\b)?(?!\d)")
_OWN = re.compile(r"v?(\d{1,3})\.(x|\d{1,3})(x?)(?![\d])")

PYTORCH_2: Version = (2023, 3)
LAZY_KERNELS: Version = (2023, 10)
"""PyTorch 2.1 came with CUDA 12, which loads kernels when they are first used."""


@dataclass(frozen=True, slots=True)
class Software:
    """Dates are (year, month), versions (major, minor); None where not said."""

    date: Version | None
    own: Version | None
    torch: Version | None
    transformers: Version | None
    cuda: Version | None

    def before(self, date: Version) -> bool:
        """Dated, and before then."""
        return self.date is not None and self.date < date

    @property
    def year(self) -> int | None:
        """None where no date is given."""
        return None if self.date is None else self.date[0]

    @property
    def is_unknown(self) -> bool:
        """Neither a date nor any version is given."""
        return not any((self.date, self.own, self.torch, self.transformers, self.cuda))

    @property
    def before_pytorch_2(self) -> bool:
        """By PyTorch's version, else the date, else a version of Transformers before 4.26 (January 2023)."""
        if self.torch is not None:
            return self.torch < (2, 0)
        if self.date is not None:
            return self.date < PYTORCH_2
        return (self.transformers or NEWEST) < (4, 26)

    @property
    def loads_kernels_at_once(self) -> bool:
        """By CUDA's version, else PyTorch's, else the date, else that of Transformers."""
        if self.cuda is not None:
            return self.cuda < (12, 0)
        if self.torch is not None:
            return self.torch < (2, 1)
        if self.date is not None:
            return self.date < LAZY_KERNELS
        return self.before_pytorch_2


def software_of(row: Row) -> Software:
    """What `framework` and `framework_version` say."""
    text = word(row, "framework_version").replace("_", " ")
    own = _version(_OWN.match(text))
    return Software(
        date=_date(text),
        own=own,
        torch=_after(r"(?:py)?torch", text),
        transformers=_after("transformers", text) or (own if is_transformers(row) else None),
        cuda=_after("cuda", text),
    )


def is_transformers(row: Row) -> bool:
    """The framework is Hugging Face's Transformers by name."""
    framework = word(row, "framework")
    return names(framework, "transformers") or names(framework, "hf")


def _date(text: str) -> Version | None:
    named = [(int(year), 1 + _MONTHS.index(month)) for month, year in _NAMED.findall(text)]
    dated = [(int(year), int(month or 12)) for year, month in _DATED.findall(_NAMED.sub(" ", text))]
    return max(named + dated, default=None)


def _after(name: str, text: str) -> Version | None:
    """The version behind a name, the later of a range (`torch 2.12-2.13`)."""
    found = re.search(rf"\b{name}[\s=_v-]*(\d[\d.x]*)(?:\s?-\s?(\d[\d.x]*))?", text)
    return _version(_OWN.match(found[2] or found[1])) if found else None


def _version(found: re.Match[str] | None) -> Version | None:
    """`4.1x` stands for the last of its kind, 4.19."""
    if found is None:
        return None
    major, minor, open_ended = found.groups()
    return int(major), 99 if minor == "x" else int(minor + "9" * len(open_ended))
