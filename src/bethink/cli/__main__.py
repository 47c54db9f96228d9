"""`python -m bethink.cli` is the same as `bethink`."""

from bethink.cli import main

main()
