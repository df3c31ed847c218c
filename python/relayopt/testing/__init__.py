"""Numpy references of operators."""
