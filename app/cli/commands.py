"""The commands. Each opens what it needs, asks the market and prints the answer; exit code 1 says "no"."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer
from sqlalchemy.exc import DBAPIError

from app import log as logs
from app.api import reference
from app.api.bodies import cards_body, offers_body, run_body
from app.api.routes import describe
from app.catalog import Catalog, load_catalog
from app.cli.printing import print_accuracy, print_fit, print_offers, print_table
from app.cli.progress import hearing
from app.cli.shared import (
    manners,
    open_market,
    print_json,
    read_run,
    read_settings,
    refuse,
    run_async,
    say,
    workshop,
)
from app.db.engine import make_engine
from app.db.migrate import upgrade
from app.db.transfer import copy_all, is_ours
from app.domain.errors import BadInput, NotFound
from app.market.accuracy import memory, names, throughput
from app.market.cards import cards_by_slug
from app.market.ingest import release as release_held
from app.market.query import OfferQuery
from app.market.service import Market
from app.providers import discover
from app.settings import VAR, provider_keys
from app.workers import entry
from app.workers.http import PoliteClient
from app.workers.recording import Recorder

cli = typer.Typer(
    no_args_is_help=True, add_completion=False, context_settings={"help_option_names": ["-h", "--help"]}
)
sources = typer.Typer(
    invoke_without_command=True, help="List the sources of prices, or release a held batch."
)
cli.add_typer(sources, name="providers")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON")]


def _say_version(wanted: bool) -> None:
    if wanted:
        print(f"rackrate {version('rackrate')}")
        raise typer.Exit


@cli.callback()
def about(
    _: Annotated[
        bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Print the version")
    ] = False,
) -> None:
    """Rentable GPU instances for training."""


class Topic(StrEnum):
    """What `accuracy` scores."""

    memory = "memory"
    throughput = "throughput"
    names = "names"


SCORES: Mapping[Topic, Callable[[Path, Catalog], Mapping[str, Any]]] = {
    Topic.memory: memory.score,
    Topic.throughput: throughput.score,
    Topic.names: names.score,
}


@cli.command()
def refresh(slugs: Annotated[list[str] | None, typer.Argument(metavar="[PROVIDER]…")] = None) -> None:
    """Scrape these sources now, all by default; 1 if one of them did not answer. A terminal shows how far it is."""
    settings, market = open_market()
    chosen = slugs or list(discover())
    before = {slug: _failures(market, slug) for slug in chosen}
    with hearing(len(chosen)) as bar:
        logs.configure(
            "warning" if bar and settings.log_level == "info" else settings.log_level, settings.log_json
        )
        shop = workshop(settings, market, bar.hear if bar else None)
        busy = run_async(entry.refresh(shop, chosen, bar.begin if bar else None))
    failed = [slug for slug in chosen if _failures(market, slug) > before[slug]]
    for slug in busy:
        say(f"{slug}: another worker is at it")
    for slug in sorted(settings.off.intersection(chosen)):
        say(f"{slug}: switched off by {entry.SOURCES_OFF}")
    if failed:
        raise refuse(f"no usable answer from {', '.join(failed)}; see `rackrate providers`")


@cli.command()
def worker() -> None:
    """Refresh prices until interrupted; on PostgreSQL as one of any number of workers."""
    settings, market = open_market()
    logs.configure(settings.log_level, settings.log_json)
    run_async(entry.work(workshop(settings, market)))


@sources.callback()
def providers(context: typer.Context, as_json: AsJson = False) -> None:
    """List the sources of prices."""
    if context.invoked_subcommand:
        return
    _, market = open_market()
    cards = cards_body(market)
    if as_json:
        print_json(cards)
        return
    names = ("slug", "name", "source_kind", "needs_key", "last_success", "offers", "held", "last_error")
    print_table(
        [name.replace("_", " ") for name in names], ([card[name] for name in names] for card in cards)
    )


@sources.command()
def release(slug: Annotated[str, typer.Argument(metavar="PROVIDER")]) -> None:
    """Accept the held batches of a source."""
    _, market = open_market()
    card = cards_by_slug().get(slug)
    if card is None:
        raise NotFound("provider", slug)
    report = release_held(market.engine, card, now=datetime.now(UTC), catalog=market.catalog)
    say(f"{slug}: {report.offers} offers, {report.changed} changed, {report.withdrawn} withdrawn")


@cli.command()
def fit(run: Annotated[str, typer.Argument(metavar="RUN.json", help="A training run; - reads it from stdin")],
        as_json: AsJson = False) -> None:  # fmt: skip
    """Say what holds a training run and what it costs; 1 if nothing does."""
    wanted = read_run(run)
    _, market = open_market()
    body = run_body(market, wanted)
    if as_json:
        print_json(body)
    else:
        print_fit(body)
    if not body["holds"]:
        raise typer.Exit(1)


@cli.command()
def offers(
    query: Annotated[str, typer.Argument(help="Query string as in the page's address")] = "",
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV")] = False,
) -> None:
    """List offers; 1 if there are none."""
    if as_json and as_csv:
        raise BadInput("--csv", "give --json or --csv, not both")
    question = OfferQuery.parse(query)
    _, market = open_market()
    if as_csv:
        lines = list(market.export_csv(question))
        sys.stdout.write("".join(lines))
        found = "".join(lines).count("\r\n") > 1
    else:
        page = market.list_offers(question)
        found = page.total > 0
        print_json(offers_body(page)) if as_json else print_offers(page)
    if not found:
        raise typer.Exit(1)


@cli.command()
def accuracy(topic: Topic, file: Path, as_json: AsJson = False) -> None:
    """Score the calculator on measured cases."""
    if not file.is_file():
        raise BadInput("FILE", f"there is no file {file}")
    scored = SCORES[topic](file, load_catalog())
    if as_json:
        print_json(scored)
        return
    print_accuracy(scored)


@cli.command()
def record(
    slug: Annotated[str, typer.Argument(metavar="PROVIDER")],
    folder: Annotated[Path | None, typer.Option("--to", help="Folder for the recording")] = None,
) -> None:
    """Ask a source and keep every answer, without secrets, for tests."""
    provider, settings = discover().get(slug), read_settings()
    if provider is None:
        raise NotFound("provider", slug)
    target, keys = folder or VAR / "recordings" / slug, provider_keys()
    secrets = [keys[name] for name in provider.card.variables if name in keys]

    async def ask() -> Any:
        async with PoliteClient(manners(settings), recorder=Recorder(target, secrets)) as http:
            return await provider.fetch(http, keys)

    parsed = provider.parse(run_async(ask()))
    say(
        f"{target}: {len(parsed.offers)} offers, {len(parsed.rejects)} rejects, {sum(parsed.ignored.values())} ignored"
    )


@cli.command()
def backup(file: Path) -> None:
    """Write the whole database to a new SQLite file."""
    if file.exists():
        raise BadInput("FILE", f"{file} exists already")
    _, market = open_market()
    target = make_engine(f"sqlite:///{file}")
    with _blaming(file):
        upgrade(target)
    copied = copy_all(market.engine, target)
    target.dispose()
    say(f"{file}: {copied['offer']} offers, {copied['price_point']} price points")


@cli.command()
def restore(file: Path) -> None:
    """Replace the whole database by a backup, whatever kind it is now."""
    if not file.is_file() or not file.read_bytes()[:16].startswith(b"SQLite format 3"):
        raise BadInput("FILE", f"{file} is no backup")
    engine, source = make_engine(read_settings().database_url), make_engine(f"sqlite:///{file}")
    with _blaming(file):
        if not is_ours(source):
            raise BadInput("FILE", f"{file} is no backup")
        upgrade(source)
    upgrade(engine)
    copied = copy_all(source, engine)
    source.dispose()
    say(f"{copied['offer']} offers, {copied['price_point']} price points")


@contextmanager
def _blaming(file: Path) -> Iterator[None]:
    """What the database engine finds wrong here is wrong with this file, not with the database of the settings."""
    try:
        yield
    except DBAPIError as error:
        raise BadInput("FILE", f"{file}: {error.orig}") from None


@cli.command()
def docs(folder: Annotated[Path, typer.Option("--to", help="Folder")] = Path("docs/reference")) -> None:
    """Write the reference pages: columns, providers, API, command line, training run."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in reference.pages(typer.main.get_command(cli), describe()).items():
        (folder / f"{name}.md").write_text(page, encoding="utf-8")
        say(str(folder / f"{name}.md"))


def _failures(market: Market, slug: str) -> int:
    state = market.status().source(slug)
    return state.failures if state else 0
