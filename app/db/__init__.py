"""Tables and their engine: portable SQLAlchemy Core on SQLite and PostgreSQL."""

from app.db.engine import make_engine, writing
from app.db.migrate import upgrade
from app.db.offers import board_version
from app.db.present import read_current

__all__ = ["board_version", "make_engine", "read_current", "upgrade", "writing"]
