"""Extras."""

from . import cudnn, download, graph_executor, nvcc, utils
