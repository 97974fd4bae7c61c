"""Memory and speed of reading AWS's bulk price list: a made-up file of hundreds of megabytes a region, over loopback.

    python -m bench.aws_stream [MEGABYTES] [REGIONS]

The list is written while it is sent, in the true shape (five lines of preamble, a header, quoted cells, 1 line in 50 of
an accelerated family), by a server process of its own; the reader runs in another, whose peak resident memory is told.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import resource
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

from app.catalog import load_catalog
from app.providers import discover
from app.workers.http import PoliteClient
from app.workers.manners import Manners

LIMIT_MIB = 300
HEADER = (
    "SKU", "OfferTermCode", "RateCode", "TermType", "PriceDescription", "EffectiveDate", "StartingRange", "EndingRange",
    "Unit", "PricePerUnit", "Currency", "LeaseContractLength", "PurchaseOption", "OfferingClass", "Product Family",
    "Region Code", "Instance Type", "vCPU", "Memory", "Storage", "Network Performance", "GPU", "Operating System",
    "Tenancy", "Pre Installed S/W", "CapacityStatus", "MarketOption",
)  # fmt: skip
PADDING = '","'.join(["NA"] * 40)
FAMILIES = ("p5.48xlarge", "g6.xlarge", "p4d.24xlarge", "g5.12xlarge", "g6e.48xlarge")


def list_of(region: str, size: int) -> Iterator[bytes]:
    """The price list of a region in pieces of about a megabyte, at least `size` bytes in all."""
    sent, number, lines = 0, 0, ['"FormatVersion","v1.0"', *['"x","y"'] * 4, '"' + '","'.join(HEADER) + '"']
    while sent < size:
        while len(lines) < 1000:
            lines.append(_line(region, number))
            number += 1
        piece = ("\n".join(lines) + "\n").encode()
        lines.clear()
        sent += len(piece)
        yield piece


def _line(region: str, number: int) -> str:
    accelerated = number % 50 == 0
    kind = FAMILIES[number // 50 % len(FAMILIES)] if accelerated else "m7i.large"
    first = accelerated and number < 50 * len(FAMILIES)
    shared = "Shared" if first else "Dedicated"
    price = f"{10 + number % 7:.10f}"
    cells = (
        f"SKU{number}", "JRTCKXETXF", f"SKU{number}.JRT", "OnDemand", f"${price} per Linux {kind}", "2026-11-01", "0",
        "Inf", "Hrs", price, "USD", "", "", "", "Compute Instance", region, kind, "192", "2,048 GiB", "EBS only",
        "3200 Gigabit", "8", "Linux", shared, "NA", "Used", "OnDemand",
    )  # fmt: skip
    return '"' + '","'.join(cells) + f'","{PADDING}"'


def serve(ready: multiprocessing.Queue[int], megabytes: int, regions: int) -> None:
    """The pretended AWS, on a free port that it says."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            for piece in answer(self.path):
                self.wfile.write(piece)

    def answer(path: str) -> Iterator[bytes]:
        if path.endswith("region_index.json"):
            codes = [f"xx-test-{number}" for number in range(regions)]
            yield json.dumps(
                {"regions": {c: {"regionCode": c, "currentVersionUrl": f"/{c}/index.json"} for c in codes}}
            ).encode()
        elif path.endswith("index.csv"):
            yield from list_of(path.rsplit("/", 2)[1], megabytes * 1_000_000)
        else:
            yield b"{}"

    server = HTTPServer(("127.0.0.1", 0), Handler)
    ready.put(server.server_address[1])
    server.serve_forever()


def read(origin: str, told: multiprocessing.Queue[dict[str, float]]) -> None:
    """Fetch and parse as a worker does, with the catalog loaded, and tell peak memory, bytes and seconds."""
    load_catalog()
    before, started, heard = _peak_mib(), time.monotonic(), [0]

    def hear(host: str, size: int) -> None:
        heard[0] += size

    async def fetch() -> int:
        manners = Manners(via=origin, attempts=1, requests_per_minute=60_000, heard=hear)
        async with PoliteClient(manners) as http:
            return len(source.parse(await source.fetch(http, {})).offers)

    source = discover()["aws"]
    offers = asyncio.run(fetch())
    seconds = time.monotonic() - started
    told.put(
        {
            "megabytes": round(heard[0] / 1e6),
            "seconds": round(seconds, 1),
            "megabytes_per_s": round(heard[0] / 1e6 / seconds, 1),
            "offers": offers,
            "peak_rss_mib": round(_peak_mib(), 1),
            "rss_before_mib": round(before, 1),
        }
    )


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print the figures as JSON; exit 1 above 300 MiB."""
    megabytes, regions = map(int, [*sys.argv[1:3], *("400", "2")[len(sys.argv) - 1 :]])
    context = multiprocessing.get_context("spawn")
    ready, told = context.Queue(), context.Queue()
    server = context.Process(target=serve, args=(ready, megabytes, regions), daemon=True)
    server.start()
    reader = context.Process(target=read, args=(f"http://127.0.0.1:{ready.get(timeout=60)}", told))
    reader.start()
    reader.join()
    server.terminate()
    if reader.exitcode:
        sys.exit(reader.exitcode)
    figures = told.get(timeout=10)
    print(json.dumps(figures | {"regions": regions}, indent=1))
    sys.exit(figures["peak_rss_mib"] > LIMIT_MIB)


if __name__ == "__main__":
    main()
