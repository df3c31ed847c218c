"""Reading Relay text; old names of relayopt.relay.parse."""

from .relay.parser import SpanCheck as SpanCheck, fromtext as fromtext, parse as parse, parse_expr as parse_expr
