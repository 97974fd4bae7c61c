"""Very many rows into PostgreSQL: one COPY into a table of this transaction, then one statement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import psycopg
from psycopg import sql
from sqlalchemy import Connection, SelectBase, Table, column, select
from sqlalchemy import table as lightweight

WORTHWHILE = 500
"""Fewer rows than this go as parameters."""


def copied(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> SelectBase:
    """The rows, in their order, as a query that an INSERT can read; they have the columns of the first one."""
    names = list(rows[0])
    scratch = f"copied_{table.name}"
    columns = sql.SQL(", ").join(map(sql.Identifier, names))
    driver = cast("psycopg.Connection[Any]", connection.connection.driver_connection)
    with driver.cursor() as cursor:
        cursor.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(sql.Identifier(scratch)))
        cursor.execute(
            sql.SQL("CREATE TEMPORARY TABLE {} ON COMMIT DROP AS SELECT {} FROM {} WITH NO DATA").format(
                sql.Identifier(scratch), columns, sql.Identifier(table.name)
            )
        )
        binders = _binders(connection, table, names)
        with cursor.copy(sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(scratch), columns)) as copy:
            for row in rows:
                values = [row[name] for name in names]
                for index, bind in binders:
                    values[index] = bind(values[index])
                copy.write_row(values)
    return select(*(column(name) for name in names)).select_from(lightweight(scratch))


def _binders(
    connection: Connection, table: Table, names: Sequence[str]
) -> list[tuple[int, Callable[[Any], Any]]]:
    """What our own types do to a value before it is sent, by position."""
    found: list[tuple[int, Callable[[Any], Any]]] = []
    for index, name in enumerate(names):
        bind = table.c[name].type.bind_processor(connection.dialect)
        if bind is not None:
            found.append((index, bind))
    return found
