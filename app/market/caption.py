"""A question in words: "8× H100 SXM, on demand, Europe, ≤ 30 USD/h: 42 offers"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.domain.figures import plain
from app.domain.sentence import N_, Sentence, joined
from app.market.board import Board
from app.market.column import Group
from app.market.filters import PARAMETERS, UNKNOWN, Age, Choice, Contains, Filter, Flag, Range
from app.market.free_text import Word
from app.market.query import OfferQuery

METHODS = {
    "pretrain": N_("pretraining of {model}"),
    "full": N_("full fine-tune of {model}"),
    "lora": N_("LoRA on {model}"),
    "qlora": N_("QLoRA on {model}"),
}
SPOKEN_ALONE = (
    "accelerator", "provider", "continent", "country", "price_usd_per_hour", "total_usd", "hours", "tokens_per_s",
)  # fmt: skip
"""Columns whose value or unit says enough: "≤ 30 USD/h" needs no "price" before it."""
WORDS = {"slice": N_("part of a card"), "ambiguous": N_("variant not stated")}
SPOKEN_ORDER: tuple[Group, ...] = ("offer", "hardware", "link", "host", "place", "price", "source", "run")


@dataclass(frozen=True, slots=True)
class Caption:
    """`parts` are said one after another; `total` offers answer the question."""

    parts: tuple[Sentence, ...]
    total: int

    def __str__(self) -> str:
        counted = "1 offer" if self.total == 1 else f"{self.total:,} offers"
        return f"{', '.join(map(str, self.parts)) or 'every accelerator'}: {counted}"


def caption_of(query: OfferQuery, board: Board, total: int) -> Caption:
    """The filters, the free text and the run in words."""
    filters = {item.parameter: item for item in query.filters}
    parts: list[Sentence] = []
    if (count := filters.get("accelerator_count")) and (what := filters.get("accelerator")):
        parts.append(
            Sentence("{count}× {what}", {"count": "/".join(count.values), "what": _names(what, board)})
        )
        filters = {name: item for name, item in filters.items() if item not in (count, what)}
    spoken = sorted(filters.values(), key=lambda item: SPOKEN_ORDER.index(item.column.group))
    parts.extend(_part(item, board) for item in spoken)
    for word in query.words.words:
        parts.extend(word_parts(word, board))
    parts.extend(_run_parts(query, board))
    return Caption(tuple(parts), total)


def word_parts(word: Word, board: Board) -> Iterator[Sentence]:
    """What one word of the free text means."""
    counts = [item for item in word.filters if item.column.name == "accelerator_count"]
    if counts and word.occurs:
        yield Sentence("{count}× “{word}”", {"count": counts[0].values[0], "word": word.occurs})
        return
    if not word.filters and not word.occurs:
        yield Sentence("“{word}” is passed over: it says nothing", {"word": word.typed})
    for item in word.filters:
        yield _part(item, board)
    if word.occurs:
        said = {"word": word.occurs}
        yield Sentence("not “{word}”", said) if word.shut_out else Sentence("“{word}”", said)


def _run_parts(query: OfferQuery, board: Board) -> Iterator[Sentence]:
    if (run := query.run) is None:
        return
    model = run.model or (f"{plain(run.parameters / 1e9)}B" if run.parameters else N_("your own model"))
    yield Sentence(METHODS[run.method], {"model": board.labels.get("model", {}).get(model, model)})
    if run.measured_tokens_per_s or run.measured_peak_gib:
        yield Sentence(N_("corrected by your trial"))


def _part(item: Filter, board: Board) -> Sentence:
    label = Sentence(item.column.asked_as)
    match item:
        case Choice():
            named = _names(item, board)
            alone = item.column.option_labels or item.column.name in SPOKEN_ALONE
            if alone and UNKNOWN not in item.values:
                return Sentence("{value}", {"value": named})
            return Sentence("{label} {value}", {"label": label, "value": named})
        case Flag():
            return Sentence("{label}: yes" if item.wanted else "{label}: no", {"label": label})
        case Age():
            return Sentence("seen within {days} days", {"days": item.values[0]})
        case Contains():
            return Sentence("{label} contains “{value}”", {"label": label, "value": " / ".join(item.values)})
        case Range():
            return _bound(item, label)
    raise TypeError(f"no words for {item!r}")


def _bound(item: Range, label: Sentence) -> Sentence:
    sign = {"min": "≥ ", "max": "≤ "}.get(PARAMETERS[item.parameter][1], "")
    amount: object = " / ".join(f"{sign}{value}" for value in item.values)
    if item.column.unit:
        amount = Sentence("{amount} {unit}", {"amount": amount, "unit": item.column.unit})
    if item.column.name in SPOKEN_ALONE:
        return Sentence("{amount}", {"amount": amount})
    return Sentence("{label} {amount}", {"label": label, "amount": amount})


def _names(item: Filter, board: Board) -> object:
    labels = {**board.labels.get(item.column.name, {}), **item.column.option_labels}
    names: list[object] = []
    for value in item.values:
        word = value.removeprefix("!")
        said: object = labels.get(word) or word
        if word in item.column.option_labels:
            said = Sentence(item.column.option_labels[word])
        elif item.column.name == "accelerator" and word not in labels:
            said = Sentence(WORDS[word]) if word in WORDS else word.upper()
        names.append(Sentence("not {value}", {"value": said}) if value.startswith("!") else said)
    return names[0] if len(names) == 1 else joined(names, N_("{first} or {next}"))
