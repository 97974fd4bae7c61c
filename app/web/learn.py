"""The lessons: short pages about one question each, with figures of the moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from app.domain.errors import NotFound
from app.domain.sentence import N_
from app.market.lessons import lesson
from app.market.service import Market
from app.web.decisions import PageMaker
from app.web.learn_figures import PLOTS, memory_strip, strip
from app.web.learn_sources import SOURCES, Source
from app.web.parameters import only


@dataclass(frozen=True, slots=True)
class Topic:
    """One lesson: `title` and what it answers; `related` lessons by slug, `sources` by key."""

    slug: str
    title: str
    summary: str
    related: tuple[str, ...]
    sources: tuple[str, ...]

    @property
    def href(self) -> str:
        """Address of the page."""
        return f"/learn/{self.slug}"


CHAPTERS: tuple[tuple[str, tuple[Topic, ...]], ...] = (
    (N_("Will it fit?"), (
        Topic("memory", N_("How much memory training needs"),
              N_("What has to fit into an accelerator beside the model, term by term."),
              ("batch-size", "topology"), ("mixed", "adam", "checkpointing", "cce", "lora", "qlora")),
        Topic("batch-size", N_("Batch size and memory"),
              N_("Which batch costs memory, which does not, and what checkpointing buys."),
              ("memory", "bound"), ("checkpointing", "recompute", "large_batch")),
        Topic("topology", N_("One accelerator, one node or several"),
              N_("How a run is split when it is too large, and what each kind of splitting is for."),
              ("interconnect", "memory"), ("zero", "fsdp", "tensor", "pipeline")),
    )),
    (N_("How fast will it be?"), (
        Topic("interconnect", N_("Why the interconnect matters"),
              N_("The same run on fast and slow links, and how much of each step it waits."),
              ("topology", "bound"), ("zero", "fsdp", "nccl", "engineering")),
        Topic("bound", N_("Bound by memory or by compute"),
              N_("How to tell what holds a card back, from its data sheet and from a running job."),
              ("benchmark", "batch-size"), ("roofline", "palm")),
        Topic("storage", N_("Storage throughput"),
              N_("What a run reads and writes, against what storage delivers."),
              ("cpu", "spot"), ("bloom", "mlperf_storage")),
        Topic("cpu", N_("What the CPU does"),
              N_("How many vCPUs and how much host memory an accelerator wants beside it."),
              ("storage", "bound"), ("engineering",)),
        Topic("benchmark", N_("Benchmark a candidate in ten minutes"),
              N_("How to measure a machine before you rely on it, and how to feed the figure back."),
              ("bound", "billing"), ("palm",)),
    )),
    (N_("What will it cost?"), (
        Topic("billing", N_("How time is billed"),
              N_("From a price per hour to a bill: steps, minimums, start-up, storage and egress."),
              ("spot", "storage"), ()),
        Topic("spot", N_("Spot instances and checkpoints"),
              N_("What spot saves, how often it stops, and how often to save."),
              ("billing", "storage"), ("young", "daly", "traces", "bathtub", "bloom")),
        Topic("rent-or-buy", N_("Rent or buy"),
              N_("After how long a card of your own is cheaper than the cheapest rent of today."),
              ("billing", "spot"), ()),
        Topic("faq", N_("Questions and answers"),
              N_("What people ask first, answered with the figures of the moment."),
              ("memory", "billing"), ()),
    )),
)  # fmt: skip
TOPICS: tuple[Topic, ...] = tuple(topic for _, topics in CHAPTERS for topic in topics)
BY_SLUG: Mapping[str, Topic] = {topic.slug: topic for topic in TOPICS}


@dataclass(frozen=True, slots=True)
class LessonView:
    """What a lesson's page shows. `told` are the figures; `plot` a picture of them or empty; `before` and `after` the
    lessons beside it in reading order, None at the ends."""

    topic: Topic
    told: Any
    plot: str
    before: Topic | None
    after: Topic | None
    related: tuple[Topic, ...]
    sources: tuple[Source, ...]


def lesson_view(market: Market, slug: str) -> LessonView:
    """One lesson.

    Raises:
        NotFound: there is none with this slug.
    """
    topic = BY_SLUG.get(slug)
    if topic is None:
        raise NotFound("lesson", slug)
    place, told = TOPICS.index(topic), lesson(market, slug)
    return LessonView(
        topic=topic,
        told=told,
        plot=PLOTS[slug](told) if slug in PLOTS else "",
        before=TOPICS[place - 1] if place else None,
        after=TOPICS[place + 1] if place + 1 < len(TOPICS) else None,
        related=tuple(BY_SLUG[name] for name in topic.related),
        sources=tuple(SOURCES[key] for key in topic.sources),
    )


class Lessons:
    """The views."""

    def __init__(self, pages: PageMaker) -> None:
        self.pages, self.market = pages, pages.market

    def index(self, request: Request) -> HTMLResponse:
        """`/learn`: all lessons."""
        return self.pages.page(request, "learn/index.html", chapters=CHAPTERS)

    def lesson(self, request: Request, slug: str) -> HTMLResponse:
        """`/learn/{slug}`: one lesson."""
        view = lesson_view(self.market, slug)
        more: dict[str, Any] = {"chapters": CHAPTERS, "cited": SOURCES, "strip": strip}
        more["memory_strip"] = memory_strip
        return self.pages.page(request, f"learn/{slug}.html", view=view, **more)


def add_lessons(router: APIRouter, pages: PageMaker) -> None:
    """The routes of the lessons."""
    views, read = Lessons(pages), ["GET", "HEAD"]
    routes: Sequence[tuple[str, Any]] = (("/learn", views.index), ("/learn/{slug}", views.lesson))
    for path, view in routes:
        told: dict[str, Any] = {"response_class": HTMLResponse, "dependencies": [only()]}
        router.add_api_route(path, view, methods=read, name=f"page {path}", **told)
