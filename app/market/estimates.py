"""The front door to what a run would do on each offer: `estimate` all, `explain` one, `answer` before any price."""

from app.market.answer import RunAnswer, answer
from app.market.estimating import Estimates, estimate
from app.market.explain import Explanation, explain

__all__ = ["Estimates", "Explanation", "RunAnswer", "answer", "estimate", "explain"]
