"""What can be said about programs without changing them."""

from .analysis import *
from .call_graph import CallGraph as CallGraph
from .count_layers import count_layers as count_layers
from .annotated_regions import AnnotatedRegionSet as AnnotatedRegionSet
from . import _ffi_api, annotated_regions as annotated_regions, call_graph as call_graph, count_layers as _count_layers
from .feature import Feature as Feature
from . import analysis as analysis, feature as feature
