"""`python -m tacit` is the command `tacit`."""

from tacit.cli.main import run

run()
