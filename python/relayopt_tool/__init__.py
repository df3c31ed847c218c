"""Starts the command-line tool that the package `relayopt` contains, without importing the package."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Runs the tool in the place of this process."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    tool = os.path.join(folder, "relayopt", "bin", "relayopt")
    if not os.path.isfile(tool):
        sys.exit("relayopt: this installation of the package has no command-line tool")
    os.execv(tool, [tool] + sys.argv[1:])
