"""Results of single nodes of a graph."""

from relayopt.contrib.debugger.debug_executor import *
