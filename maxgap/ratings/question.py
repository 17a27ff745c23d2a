"""What is asked of ratings: what they are assumed to be, and by which certificate to judge."""

from __future__ import annotations

from typing import Any, NamedTuple

from maxgap._checking import checked_bounds, checked_confidence
from maxgap._numbers import as_float
from maxgap.confidence import check_delta, check_sigma
from maxgap.policies import MaxGapContrasts, MaxGapTop2UCB, Policy

__all__ = ["POLICY_OF", "Question"]

#: The certificates on offer, and the policy that samples for each.
POLICY_OF: dict[str, type[Policy]] = {
    "either": MaxGapContrasts,
    "clusters": MaxGapTop2UCB,
    "contrasts": MaxGapContrasts,
}


class Question(NamedTuple):
    """What rewards are assumed to be, and which certificate is asked for: chosen before looking."""

    bounds: tuple[float, float] | None
    sigma: Any
    delta: float
    confidence: Any
    stopping: str

    @classmethod
    def asked(cls, bounds: Any, sigma: Any, delta: Any, confidence: Any, stopping: Any) -> Question:
        """A question in these words, or a ValueError that names what cannot be used."""
        if (bounds is None) == (sigma is None):
            raise ValueError(
                "give bounds=(lowest, highest), between which every reward must lie, or else "
                f"sigma=, got bounds {bounds!r} and sigma {sigma!r}: ratings alone do not tell "
                "either"
            )
        if stopping not in POLICY_OF:
            raise ValueError(f"stopping must be one of {list(POLICY_OF)}, got {stopping!r}")
        if bounds is not None:
            bounds = checked_bounds(bounds)
        elif not hasattr(sigma, "items"):  # by label it is checked once the labels are known
            number = as_float(sigma)
            if number is None:
                raise ValueError(f"sigma must be a number or go by the arms' labels, got {sigma!r}")
            sigma = float(check_sigma(number))
        if confidence is None:
            confidence = "normal-mixture" if bounds is None else "empirical-bernstein"
        return cls(bounds, sigma, check_delta(delta), checked_confidence(confidence), stopping)

    @property
    def settings(self) -> dict[str, Any]:
        """By name, as a policy takes them, and :func:`maxgap.plan`."""
        return {name: value for name, value in self._asdict().items() if value is not None}

    def policy(self, arms: Any, cls: type[Policy] | None = None, **more: Any) -> Policy:
        """A policy of these settings that has not begun; by default one that samples for it."""
        return (cls or POLICY_OF[self.stopping])(arms, **self.settings, **more)
