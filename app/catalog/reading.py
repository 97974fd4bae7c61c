"""What the text of an accelerator name says, before any table is asked: words, sizes, slices."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

_SIZE = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)[ _-]?(?:gb|gib|g|vram)(?![a-z0-9])")
_MIG_PROFILE = re.compile(r"(?<![a-z0-9])(?:mig[ _-]*)?\d+g\.(\d+)gb(?![a-z0-9])")
_VGPU_PROFILE = re.compile(r"(?<=[a-z0-9])(?:[-_ ](?=\d+q)|[-_])(1?\d{1,2})[qcab](?![a-z0-9])")
_FRACTION = re.compile(r"(?<![a-z0-9./])([1-9]/[1-9]\d?|0?\.\d+(?= ?x(?![a-z0-9])))(?![\d./])")
_GLUED_VENDOR = re.compile(r"(nvidia|geforce|quadro|tesla|instinct|radeon|^amd)")
_GLUED_EDITION = re.compile(r"(pro[ _-]?(?:server[ _-]?)?\d{4})(bse|se|ws|wk|we|s|maxq|max-q)(?![a-z0-9])")
_GLUED_FORM = re.compile(r"(?<=[a-z0-9])(pcie|sxm\d?)(?![a-z0-9])")
_GLUED_ADA = re.compile(r"(\d{4})(ada)(?![a-z0-9])")
_COUNT_BEFORE = re.compile(r"(?<![a-z0-9])(\d{1,2}) ?x(?= |[a-z]|\d{4})")
_COUNT_AFTER_X = re.compile(r"(?<=mi\d{3}x)x?(\d{1,2})(?![a-z0-9])")
_COUNT_AFTER = re.compile(r"(?:(?<=[a-z0-9])x| x ?)(\d{1,2})(?![a-z0-9])")
_COUNTS = {_COUNT_BEFORE: " ", _COUNT_AFTER_X: "", _COUNT_AFTER: ""}
_KIND = re.compile(r"(?<![a-z0-9])(?:tensor[ -]core|gpus?)(?![a-z0-9])")
_TRUNCATED = re.compile(r"\.\.\.|…")
_LAPTOP = re.compile(r"(?<![a-z])(?:laptop|mobile|notebook)(?![a-z])")
_SHARED = re.compile(r"(?<![a-z])(?:mig|vgpu|grid)(?![a-z])")


@dataclass(frozen=True, slots=True)
class Reading:
    """A name taken apart. `text` is lower case, one blank between words, without counts and sizes;
    `sizes_gb` the memory sizes that were written in it; `count` the cards; `shared` = a part of a card: a MIG or
    vGPU profile, of `slice_gb` where stated, or a `share` ("1/3 A10"); `refused` = a laptop chip or a name cut
    short: no rentable card of the catalog."""

    text: str
    sizes_gb: tuple[float, ...] = ()
    count: int | None = None
    shared: bool = False
    slice_gb: float | None = None
    share: float | None = None
    refused: bool = False


def letters_and_digits(name: str) -> str:
    """The form in which aliases are compared."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def read_name(name: str) -> Reading:
    """Take a name apart; pure text, no table."""
    low = " ".join(name.lower().replace("×", "x").split())
    if _TRUNCATED.search(low) or _LAPTOP.search(low):
        return Reading("", refused=True)
    low, share = _without_share(low)
    slice_gb = None
    profile = _MIG_PROFILE.search(low) or _VGPU_PROFILE.search(low)
    if profile:
        slice_gb = float(profile.group(1))
        low = low[: profile.start()] + " " + low[profile.end() :]
    shared = profile is not None or share is not None or _SHARED.search(low) is not None
    low = _SHARED.sub(" ", low)
    sizes = tuple(float(found) for found in _SIZE.findall(low))
    words, count = _plain(_SIZE.sub(" ", low))
    return Reading(words, sizes, count, shared, slice_gb, share)


def core_of(name: str) -> str:
    """The name without the number of cards and the word for a card ("8x H100 GPU", "H100 Tensor Core GPU ×8")."""
    low = _KIND.sub(" ", name.lower().replace("×", "x").replace("*", " x "))
    return _COUNT_AFTER.sub("", _COUNT_BEFORE.sub(" ", " ".join(low.split())))


def _without_share(low: str) -> tuple[str, float | None]:
    found = _FRACTION.search(low)
    if found is None or not 0 < (share := float(Fraction(found.group(1)))) < 1:
        return low, None
    return low[: found.start()] + " " + low[found.end() :], share


def _plain(low: str) -> tuple[str, int | None]:
    spaced = _GLUED_VENDOR.sub(r" \1 ", low)
    spaced = _GLUED_EDITION.sub(r"\1 \2", spaced)
    spaced = _GLUED_FORM.sub(r" \1", _GLUED_ADA.sub(r"\1 \2", spaced))
    words = " ".join(re.sub(r"[^a-z0-9*]", " ", spaced).replace("*", " x ").split())
    counts = []
    for pattern, kept in _COUNTS.items():
        counts += pattern.findall(words)
        words = pattern.sub(kept, words)
    return " ".join(words.split()), int(counts[0]) if len(counts) == 1 else None
