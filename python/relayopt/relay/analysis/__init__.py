"""What can be said about programs without changing them."""

from .analysis import *
from .call_graph import CallGraph
from .count_layers import count_layers
from .annotated_regions import AnnotatedRegionSet
from . import _ffi_api, annotated_regions, call_graph, count_layers as _count_layers
from .feature import Feature
from . import analysis, feature
