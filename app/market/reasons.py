"""Why an offer is ruled out, in words, by the short codes that filters and the API use."""

from __future__ import annotations

from app.training.fit import REASONS

__all__ = ["REASONS"]
