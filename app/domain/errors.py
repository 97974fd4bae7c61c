"""Every error that Rackrate raises on purpose.

RackrateError
├── BadInput            the person gave something that cannot be answered; names the field
│   ├── UnknownParameter    a query parameter or column nobody knows
│   └── UnknownValue        a value that no offer has or could have; names near ones
├── NotFound            a well-formed key that points at nothing
├── CatalogError        a reference file is malformed; names file, line and column
├── LeaseLost           another worker took over this provider; nothing was written
└── UpstreamFault       a provider's answer cannot be used
    ├── Unreachable         no answer: time-out, refused, 4xx/5xx after retries
    ├── ShapeDrift          an answer that is not in the shape we know
    └── MissingKey          the provider wants a key that is not set
"""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.sentence import N_, Sentence


class RackrateError(Exception):
    """Base of every deliberate error; `str(error)` is one clear line for a person."""


class BadInput(RackrateError):
    """The question cannot be answered as asked.

    `field` is the name that form, URL, API body and CLI share; `sentence` is what is wrong, to be said in the reader's
    language, and `message` the same in English.
    """

    def __init__(self, field: str, sentence: str | Sentence) -> None:
        super().__init__(f"{field}: {sentence}")
        self.field = field
        self.sentence = sentence

    @property
    def message(self) -> str:
        """What is wrong, in English."""
        return str(self.sentence)


class UnknownParameter(BadInput):
    """A parameter, column or option name that does not exist."""


class UnknownValue(BadInput):
    """A value that nothing has and nothing could have; `near` are values that do exist, the closest first."""

    def __init__(self, field: str, value: str, near: Sequence[str] = ()) -> None:
        said = {"value": repr(value[:60]), "near": ", ".join(near)}
        super().__init__(
            field,
            Sentence(N_("{value} is not known here; did you mean {near}?"), said)
            if near
            else Sentence(N_("{value} is not known here"), said),
        )
        self.value = value
        self.near = tuple(near)


_NOTHING = {
    "offer": N_("no offer {key}"),
    "accelerator": N_("no accelerator {key}"),
    "model": N_("no model {key}"),
    "lesson": N_("no lesson {key}"),
    "provider": N_("no provider {key}"),
    "held batch": N_("no held batch {key}"),
}


class NotFound(RackrateError):
    """`kind` (offer, accelerator, model, provider) has no entry `key`; `sentence` says so."""

    def __init__(self, kind: str, key: str) -> None:
        self.sentence = Sentence(_NOTHING.get(kind, "{kind}: {key}"), {"key": repr(key), "kind": kind})
        super().__init__(str(self.sentence))
        self.kind = kind
        self.key = key


class CatalogError(RackrateError):
    """A reference file is malformed; the message names file, line and column."""


class LeaseLost(RackrateError):
    """Another worker took over `provider` in the meantime; nothing was written."""

    def __init__(self, provider: str) -> None:
        super().__init__(f"{provider}: another worker has taken over")
        self.provider = provider


class UpstreamFault(RackrateError):
    """A provider's answer cannot be used; nothing that was stored changes."""


class Unreachable(UpstreamFault):
    """No usable answer after the allowed retries."""


class ShapeDrift(UpstreamFault):
    """The answer is not in the shape the reader knows."""


class NotAsked(UpstreamFault):
    """The source was left alone on purpose: no attempt and no failure; what is stored stays and ages."""


class SwitchedOff(NotAsked):
    """The operator has switched the source off."""

    def __init__(self) -> None:
        super().__init__("switched off by the operator")


class MissingKey(NotAsked):
    """The provider needs a key; `variable` is the environment variable that is not set."""

    def __init__(self, variable: str) -> None:
        super().__init__(f"set {variable} to refresh this provider")
        self.variable = variable
