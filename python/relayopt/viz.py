"""What notebooks show."""

import html


def module_html(mod, limit=200):
    """The text of a module, one section for each function."""
    text = str(mod)
    lines = text.split("\n")
    shown = html.escape("\n".join(lines[:limit]))
    rest = html.escape("\n".join(lines[limit:]))
    more = f"<details><summary>all {len(lines)} lines</summary><pre>{rest}</pre></details>" if rest else ""
    return f"<div class='relayopt-module'><pre>{shown}</pre>{more}</div>"
