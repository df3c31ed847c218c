"""Extras."""

from . import cudnn, debugger, download, graph_executor, nvcc, utils
