"""`python -m relayopt`: the command-line tool of this installation."""

from __future__ import annotations

from relayopt_tool import main

if __name__ == "__main__":
    main()
