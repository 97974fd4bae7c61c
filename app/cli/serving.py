"""The command that serves pages and API."""

from __future__ import annotations

import logging
import socket
from typing import Annotated

import typer
import uvicorn

from app.cli.commands import cli
from app.cli.shared import listen, read_settings
from app.workers.entry import check_switches

log = logging.getLogger(__name__)


@cli.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one")] = None,
) -> None:
    """Migrate, load the snapshot into an empty database, serve, and refresh prices in the background."""
    settings = read_settings(host=host, port=port)
    check_switches(settings.off)
    config = uvicorn.Config(
        "app.main:from_environment",
        factory=True,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    try:
        with listen(settings.host, settings.port) as door:
            AnnouncedServer(config).run(sockets=[door])
    except SystemExit as stop:  # uvicorn has said why it could not start
        raise typer.Exit(2 if stop.code else 0) from None


class AnnouncedServer(uvicorn.Server):
    """Says where it answers once it does."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server.startup`."""
        await super().startup(sockets)
        for door in sockets or ():
            host, port = door.getsockname()[:2]
            log.info("Rackrate answers at http://%s:%d", f"[{host}]" if ":" in host else host, port)
