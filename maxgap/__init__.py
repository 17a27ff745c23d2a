"""The MaxGap bandit: find the largest gap between neighbouring means."""

__version__ = "0.1.0"
