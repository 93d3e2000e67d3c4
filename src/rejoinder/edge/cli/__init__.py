"""The command `rejoinder`: the door, which opens quickly and says what is missing."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command. Without click there is one line that says how to install it."""
    try:
        from rejoinder.edge.cli.group import rejoinder
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "click":
            raise
        sys.stderr.write("rejoinder: the command needs click; install it with: pip install click\n")
        sys.exit(2)
    rejoinder()
