"""Raw accelerator names → catalog keys, with "ambiguous" and "unknown" as real answers.

The order of evidence: the instance type; words that rule a whole card out; an exact alias; the family that the
words name, narrowed by edition, architecture, form factor, memory type and the provider's habit; memory last.
Memory never picks a card that the words do not allow: a contradiction is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.catalog.instances import Instances, Topology
from app.catalog.narrowing import (
    by_words,
    chips_of,
    form_of,
    names_another_chip,
    open_question,
    plainest,
    sized,
    stated_sizes,
)
from app.catalog.reading import Reading, core_of, letters_and_digits, read_name
from app.catalog.resolution import Resolution, share_in_words
from app.catalog.vocabulary import Family, Vocabulary
from app.domain.accelerator import Accelerator
from app.domain.sentence import N_, Sentence
from app.domain.units import gib_from_gb

NEAR = 1.25
"""Up to this ratio the least memory of the candidates is a safe reading; beyond it the memory is unknown."""
WHOLE = 0.99
"""Counts from here up are whole cards; sources round thirds and sixths of a card."""


@dataclass(frozen=True, slots=True)
class Question:
    """One name to resolve; `provider` is a canonical slug or None, `memory_gb` per accelerator."""

    name: str
    provider: str | None = None
    memory_gb: float | None = None
    count: float | None = None

    @property
    def whole_count(self) -> float | None:
        """The count, where it is one of whole cards."""
        return self.count if self.count is not None and self.count >= WHOLE else None


class Names:
    """Resolves names against one catalog."""

    def __init__(
        self, accelerators: Mapping[str, Accelerator], vocabulary: Vocabulary, instances: Instances
    ) -> None:
        self._accelerators = accelerators
        self._vocabulary = vocabulary
        self._instances = instances

    def resolve(self, question: Question, instance_type: str | None) -> Resolution:
        """The best honest answer; never raises for any text."""
        texts = tuple(dict.fromkeys(text for text in (instance_type, question.name) if text))
        for text in texts:
            if topology := self._instances.topology(question.provider, text):
                return self._from_topology(topology, question)
        for text in texts:
            if found := self._from_rule(text, question):
                return found
        answer = self._by_name(question)
        if instance_type and answer.status in ("ambiguous", "unknown"):
            answer = self._by_type_text(instance_type, question, answer)
        return self._sliced(question, answer)

    def _by_type_text(self, instance_type: str, question: Question, answer: Resolution) -> Resolution:
        """Words of the instance type that the name leaves out ("a100-pcie"), if they leave fewer of the candidates;
        or that correct a name whose card cannot have the stated memory ("RTX4060", 16 GB, "4x-RTX_4060_Ti")."""
        told = self._by_name(replace(question, name=instance_type))
        keys = {told.key} if told.key else set(told.candidates)
        if answer.status == "unknown":
            says = told.status == "known" and bool(question.memory_gb) and self._is_a_card(question.name)
        else:
            says = told.status in ("known", "ambiguous") and keys < set(answer.candidates)
        if not says:
            return answer
        return replace(told, why=Sentence(N_("the instance type {type} says it"), {"type": instance_type}))

    def _is_a_card(self, name: str) -> bool:
        """The name alone, without the stated memory, means a card of the catalog."""
        return self._by_name(Question(name)).status in ("known", "ambiguous")

    def _from_topology(self, topology: Topology, question: Question) -> Resolution:
        accelerator = self._accelerators[topology.accelerator]
        why = Sentence(N_("the instance type {type} holds it"), {"type": topology.instance_type})
        count = question.count if topology.is_pattern else topology.count
        return self._known(accelerator, why, count)

    def _from_rule(self, text: str, question: Question) -> Resolution | None:
        """What the provider's way of naming types says; nothing where it reads no card of the catalog."""
        named = self._instances.named(question.provider, text)
        if named is None:
            return None
        count = named.count if named.count is not None else question.count
        if alias := self._alias(replace(question, name=text)):
            return self._known(alias, Sentence(N_("the instance type is a known spelling")), count)
        memory = None if named.count is not None and named.count < 1 else question.memory_gb
        answers = [self._by_name(Question(name, question.provider, memory)) for name in named.names]
        if len(answers) == 1 and answers[0].status == "slice":
            return answers[0]
        keys = dict.fromkeys(key for a in answers for key in ((a.key,) if a.key else a.candidates))
        told = self._by_name(question)
        if told.status == "known" and told.key in keys:
            keys = {told.key: None}
        if len(keys) == 1:
            why = Sentence(N_("the provider names instance types this way: {type}"), {"type": text})
            return self._known(self._accelerators[next(iter(keys))], why, count)
        why = Sentence(N_("the instance type may hold more than one card"))
        return self._ambiguous(tuple(keys), why, count) if keys else None

    def _known(self, accelerator: Accelerator, why: Sentence, count: float | None) -> Resolution:
        if count is not None and 0 < count < WHOLE:
            label = f"{share_in_words(count)} of {accelerator.name}"
            memory = accelerator.usable_gib * count
            return Resolution("slice", accelerator.key, (), label, why, count, memory)
        return Resolution(
            "known", accelerator.key, (), accelerator.name, why, count or None, accelerator.usable_gib
        )

    def _ambiguous(self, keys: Sequence[str], why: Sentence, count: float | None) -> Resolution:
        candidates = [self._accelerators[key] for key in keys]
        label = f"{self._label(candidates)}, {open_question(candidates)}"
        sizes = [one.usable_gib for one in candidates]
        memory = min(sizes) if max(sizes) <= NEAR * min(sizes) else None
        return Resolution("ambiguous", None, tuple(keys), label, why, count or None, memory)

    def _unknown(self, question: Question, why: Sentence) -> Resolution:
        label = " ".join(question.name.split()) or "not stated"
        memory = gib_from_gb(question.memory_gb) if question.memory_gb else None
        return Resolution("unknown", None, (), label, why, question.count or None, memory)

    def _label(self, candidates: Sequence[Accelerator]) -> str:
        families = {self._vocabulary.family_of(one.key).name for one in candidates}
        sizes = sorted({one.memory_nominal_gb for one in candidates})
        name = " or ".join(sorted(families))
        return f"{name} {sizes[0]:g} GB" if len(sizes) == 1 else name

    def _sliced(self, question: Question, whole: Resolution) -> Resolution:
        """Turn an answer for a whole card into one for a slice where the count says so."""
        count = question.count
        if count is None or not 0 < count < WHOLE or whole.status == "slice":
            return whole
        if whole.status == "unknown":
            whole = self._by_name(replace(question, memory_gb=None, count=None))
        if whole.key is None:
            return replace(whole, count=count, memory_gib=(whole.memory_gib or 0) * count or None)
        return self._known(self._accelerators[whole.key], whole.why, count)

    def _by_name(self, question: Question) -> Resolution:
        reading = read_name(question.name)
        if reading.refused:
            return self._unknown(question, Sentence(N_("a laptop chip, or a name that was cut short")))
        alias = self._alias(question)
        if alias is not None:
            question = _counted(question, reading, self._vocabulary.family_of(alias.key))
            return self._known(alias, Sentence(N_("the name is a known spelling")), question.whole_count)
        if reading.shared:
            return self._part(question, reading)
        return self._by_words(question, reading)

    def _by_words(self, question: Question, reading: Reading) -> Resolution:
        families = self._families(reading.text)
        if not families:
            return self._unknown(question, Sentence(N_("no card in the catalog has this name")))
        if len(families) > 1:
            keys = [key for family, _ in families for key in family.keys]
            return self._ambiguous(
                keys, Sentence(N_("the name holds more than one card")), question.whole_count
            )
        return self._narrow(question, reading, *families[0])

    def _part(self, question: Question, reading: Reading) -> Resolution:
        parent = self._by_words(replace(question, memory_gb=None, count=None), reading)
        if parent.key is None:
            return self._unknown(question, Sentence(N_("a part of a card that is not named")))
        card = self._accelerators[parent.key]
        why = Sentence(N_("the name is a profile of a shared card"))
        size = reading.slice_gb or question.memory_gb
        if reading.share is None and size is None:
            return Resolution("slice", card.key, (), f"part of {card.name}", why)
        return self._known(card, why, reading.share or (size or 0) / card.memory_nominal_gb)

    def _alias(self, question: Question) -> Accelerator | None:
        for spelling in (question.name, core_of(question.name)):
            plain = letters_and_digits(spelling)
            for provider in (question.provider or "", ""):
                key = self._vocabulary.aliases.get((provider, plain))
                if key is not None and self._may_hold(key, question.memory_gb):
                    return self._accelerators[key]
        return None

    def _may_hold(self, key: str, memory_gb: float | None) -> bool:
        return not memory_gb or self._vocabulary.family_of(key).holds(self._accelerators[key], memory_gb)

    def _families(self, text: str) -> list[tuple[Family, str]]:
        """The families whose words stand in the text, longest first taken, each with the words around it."""
        found = [
            (match.end() - match.start(), match.start(), family, match)
            for family in self._vocabulary.families
            for match in [family.pattern.search(text)]
            if match
        ]
        taken: list[tuple[Family, str]] = []
        spans: list[tuple[int, int]] = []
        for _, _, family, match in sorted(found, key=lambda item: (-item[0], item[1])):
            if all(match.end() <= start or match.start() >= end for start, end in spans):
                spans.append(match.span())
                taken.append((family, f"{text[: match.start()].strip()} | {text[match.end() :].strip()}"))
        return taken

    def _narrow(self, question: Question, reading: Reading, family: Family, around: str) -> Resolution:
        before, _, after = around.partition(" | ")
        words = (before + " " + after).split()
        if not family.keys:
            return self._unknown(
                question, Sentence(N_("{name} has no row in the catalog"), {"name": family.name})
            )
        editions = family.editions_in(" ".join(words))
        if not editions and names_another_chip(words, after):
            return self._unknown(
                question, Sentence(N_("the words after {name} name another chip"), {"name": family.name})
            )
        cards = [self._accelerators[key] for key in editions or family.keys]
        cards = by_words(cards, reading.text)
        stated = stated_sizes(reading, family, cards, after)
        for size in stated:
            cards = sized(cards, size, family, reading.count)
        if question.memory_gb:
            cards = sized(cards, question.memory_gb, family, None)
        cards = plainest(cards, reading.text)
        if not cards:
            return self._unknown(
                question, Sentence(N_("what is said of {name} contradicts the card"), {"name": family.name})
            )
        cards = self._by_habit(cards, question.provider, family, reading.text)
        question = _counted(question, reading, family)
        return self._decide(question, family, cards, bool(stated or question.memory_gb))

    def _by_habit(
        self, cards: list[Accelerator], provider: str | None, family: Family, text: str
    ) -> list[Accelerator]:
        if len(cards) == 1 or (form_of(text) and len({card.form_factor for card in cards}) == 1):
            return cards
        for fact in self._vocabulary.facts:
            if fact.family != family.name or fact.provider not in (provider, None):
                continue
            if fact.word is not None and fact.word not in text.split():
                continue
            if fact.memory_gb is not None and not all(family.holds(card, fact.memory_gb) for card in cards):
                continue
            edition = family.edition(fact.form_factor)
            meant = [card for card in cards if card.key == edition or card.form_factor == fact.form_factor]
            if edition is not None:
                meant = [card for card in cards if card.key == edition]
            return meant or cards
        return cards

    def _decide(
        self, question: Question, family: Family, cards: list[Accelerator], sized: bool
    ) -> Resolution:
        why = Sentence(N_("the words name {name}"), {"name": family.name})
        if len(cards) == 1 and (sized or not family.unlisted_gb or len(family.keys) > 1):
            return self._known(cards[0], why, question.whole_count)
        default = next((card for card in cards if card.key == family.default), None)
        if default is not None:
            return self._known(default, why, question.whole_count)
        return self._ambiguous(
            [card.key for card in cards], Sentence(N_("several cards share the name")), question.whole_count
        )


def _counted(question: Question, reading: Reading, family: Family) -> Question:
    chips = chips_of(reading.text, family)
    return question if chips is None else replace(question, count=(question.count or 1) * chips)
