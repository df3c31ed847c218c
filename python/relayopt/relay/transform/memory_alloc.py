"""Memory is planned by code generators; relayopt has none."""
