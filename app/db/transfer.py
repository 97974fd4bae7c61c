"""Copies a whole database over another, whichever of the two kinds each is: the stuff of backup and restore."""

from __future__ import annotations

from sqlalchemy import Connection, Engine, Table, delete, func, insert, inspect, select, text, update

from app.db.engine import is_postgresql, writing
from app.db.offers import board_version
from app.db.tables import board_version as version_table
from app.db.tables import metadata, offer

ROWS_AT_ONCE = 2_000


def copy_all(source: Engine, target: Engine) -> dict[str, int]:
    """Replace every row of `target` by those of `source`, in one transaction; both must be migrated alike.

    The board version ends above either one's, so that every running board is read anew. Returns rows by table.
    """
    tables = metadata.sorted_tables
    with source.connect() as reading, writing(target) as connection:
        version = max(board_version(reading), board_version(connection)) + 1
        for table in reversed(tables):
            connection.execute(delete(table))
        copied = {table.name: _copy(table, reading, connection) for table in tables}
        connection.execute(update(version_table).values(version=version))
    return copied


def _copy(table: Table, reading: Connection, connection: Connection) -> int:
    copied = 0
    for rows in reading.execute(select(table)).mappings().partitions(ROWS_AT_ONCE):
        connection.execute(insert(table), [dict(row) for row in rows])
        copied += len(rows)
    if copied and "id" in table.c and is_postgresql(connection):
        _continue_numbers(table, connection)
    return copied


def _continue_numbers(table: Table, connection: Connection) -> None:
    """A PostgreSQL sequence does not see the numbers that were copied past it."""
    sequence = connection.execute(select(func.pg_get_serial_sequence(table.name, "id"))).scalar()
    if sequence:
        newest = f'SELECT setval(:sequence, (SELECT max(id) FROM "{table.name}"))'
        connection.execute(text(newest), {"sequence": sequence})


def is_ours(engine: Engine) -> bool:
    """A SQLite file with the tables of Rackrate, of whatever version, and whole: any other would empty what it is
    copied over."""
    with engine.connect() as connection:
        whole = connection.exec_driver_sql("PRAGMA quick_check").scalar() == "ok"
        return whole and {offer.name, version_table.name} <= set(inspect(connection).get_table_names())
