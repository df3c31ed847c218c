"""Choosing between external compilers by cost."""

from . import collage
from .collage import CostEstimator, CustomCostEstimator, MockCostEstimator
