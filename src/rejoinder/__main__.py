"""`python -m rejoinder`: the command."""

from rejoinder.edge.cli import main

main()
