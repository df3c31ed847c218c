"""`python -m relayopt`: the command-line tool of this installation."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Runs the tool in the place of this process."""
    tool = os.path.join(os.path.dirname(__file__), "bin", "relayopt")
    if not os.path.isfile(tool):
        sys.exit("relayopt: this installation of the package has no command-line tool")
    os.execv(tool, [tool] + sys.argv[1:])


if __name__ == "__main__":
    main()
