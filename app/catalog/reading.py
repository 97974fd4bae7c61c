"""What the text of an accelerator name says, before any table is asked: words, sizes, slices."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SIZE = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)[ _-]?(?:gb|gib|g|vram)(?![a-z0-9])")
_MIG_PROFILE = re.compile(r"(?<![a-z0-9])(?:mig[ _-]*)?\d+g\.(\d+)gb(?![a-z0-9])")
_VGPU_PROFILE = re.compile(r"(?<=[a-z0-9])[- ](\d{1,3})[qcab](?![a-z0-9])")
_GLUED_VENDOR = re.compile(r"(nvidia|geforce|tesla|instinct|radeon)")
_GLUED_EDITION = re.compile(r"(pro[ _-]?(?:server[ _-]?)?\d{4})(bse|se|ws|wk|we|s|maxq|max-q)(?![a-z0-9])")
_GLUED_FORM = re.compile(r"(?<=[a-z0-9])(pcie|sxm\d?)(?![a-z0-9])")
_GLUED_ADA = re.compile(r"(\d{4})(ada)(?![a-z0-9])")
_COUNT_BEFORE = re.compile(r"(?<![a-z0-9])\d{1,2} ?x(?= |[a-z])")
_COUNT_AFTER = re.compile(r"(?<=[a-z0-9])x\d{1,2}(?![a-z0-9])| x ?\d{1,2}(?![a-z0-9])")
_COUNT_AFTER_X = re.compile(r"(mi\d{3}x)x?\d{1,2}(?![a-z0-9])")
_TRUNCATED = re.compile(r"\.\.\.|…")
_LAPTOP = re.compile(r"(?<![a-z])(?:laptop|mobile|notebook)(?![a-z])")
_SHARED = re.compile(r"(?<![a-z])(?:mig|vgpu|grid)(?![a-z])")


@dataclass(frozen=True, slots=True)
class Reading:
    """A name taken apart. `text` is lower case, one blank between words, without counts and sizes;
    `sizes_gb` the memory sizes that were written in it; `shared` = a MIG or vGPU profile, of `slice_gb`
    where stated; `refused` = a laptop chip or a name cut short: no rentable card of the catalog."""

    text: str
    sizes_gb: tuple[float, ...] = ()
    shared: bool = False
    slice_gb: float | None = None
    refused: bool = False


def letters_and_digits(name: str) -> str:
    """The form in which aliases are compared."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def read_name(name: str) -> Reading:
    """Take a name apart; pure text, no table."""
    low = " ".join(name.lower().split())
    if _TRUNCATED.search(low) or _LAPTOP.search(low):
        return Reading("", refused=True)
    slice_gb = None
    profile = _MIG_PROFILE.search(low) or _VGPU_PROFILE.search(low)
    if profile:
        slice_gb = float(profile.group(1))
        low = low[: profile.start()] + " " + low[profile.end() :]
    shared = profile is not None or _SHARED.search(low) is not None
    low = _SHARED.sub(" ", low)
    sizes = tuple(float(found) for found in _SIZE.findall(low))
    return Reading(_plain(_SIZE.sub(" ", low)), sizes, shared, slice_gb)


def _plain(low: str) -> str:
    spaced = _GLUED_VENDOR.sub(r" \1 ", low)
    spaced = _GLUED_EDITION.sub(r"\1 \2", spaced)
    spaced = _GLUED_FORM.sub(r" \1", _GLUED_ADA.sub(r"\1 \2", spaced))
    words = " ".join(re.sub(r"[^a-z0-9]", " ", spaced).split())
    words = _COUNT_AFTER_X.sub(r"\1", _COUNT_BEFORE.sub(" ", words))
    return " ".join(_COUNT_AFTER.sub("", words).split())
