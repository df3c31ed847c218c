"""The same as `analysis.feature`."""

from .analysis.feature import Feature as Feature
