"""Quantized operators and their passes."""

from . import op, transform
