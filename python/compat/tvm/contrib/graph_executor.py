"""Running what relay.build gave."""

from relayopt.contrib.graph_executor import *
