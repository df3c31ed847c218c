"""Reading Relay text; old names of relayopt.relay.parse."""

from .relay.parser import SpanCheck, fromtext, parse, parse_expr
