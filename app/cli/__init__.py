"""The command line. Exit codes: 0 done, 1 the answer is no, 2 bad input; an error is one clear line on stderr."""

from __future__ import annotations

import os
import re
import sys

import typer
from sqlalchemy.exc import SQLAlchemyError

from app.cli import backfill, decisions, serving
from app.cli.commands import cli
from app.cli.shared import say
from app.domain.errors import RackrateError

__all__ = ["backfill", "cli", "decisions", "main", "run", "serving"]


def main() -> None:
    """The command `rackrate`."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command; its exit code. Every deliberate error is one line on stderr, never a traceback."""
    command = typer.main.get_command(cli)
    try:
        code = command.main(arguments, prog_name="rackrate", standalone_mode=False)
    except BrokenPipeError:  # whoever read the answer has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (RackrateError, OSError) as error:
        say("rackrate: " + str(error).splitlines()[0])
        return 2
    except SQLAlchemyError as error:
        words = re.sub(
            r"^\([\w.]+\) ", "", str(error).splitlines()[0]
        )  # the driver's class says nothing to a person
        say(f"rackrate: RACKRATE_DATABASE_URL: {words}")
        return 2
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        if words := error.format_message().split():  # none: the help was asked for by saying nothing
            say("rackrate: " + " ".join(words).replace("Value error, ", ""))
        return 2
    return code if isinstance(code, int) else 0
