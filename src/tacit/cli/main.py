"""The command `tacit`: parse, call, render; whatever goes wrong is one message and a status."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import StringIO, TextIOWrapper
from textwrap import indent
from typing import Annotated, Any

import typer

from tacit.cli import (
    check,
    compare,
    convert,
    demo,
    discover,
    evaluate,
    fit,
    hidden,
    posterior,
    predict,
    processes,
    query,
    report,
    reproduce,
    sample,
    score,
    search,
    show,
    text,
)
from tacit.cli.answers import Answer
from tacit.cli.completion import scripted
from tacit.cli.wording import in_words
from tacit.core.errors import TacitError
from tacit.version import __version__

QUERY_INTERRUPTED = "Query interrupted"
"""What DuckDB says when Ctrl-C is pressed while it reads."""
DONE, BAD_INPUT, INTERRUPTED, NO_READER = 0, 2, 130, 141
PARSING_ERROR: type[Any] = typer.BadParameter.__mro__[2]
"""What typer raises for every wrong command line; it has no public name of its own."""

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
    epilog="\b\nFirst steps:\n  tacit demo\n  tacit fit --help",
)
for module, command in (
    (fit, fit.fit),
    (search, search.search),
    (hidden, hidden.hidden),
    (check, check.check),
    (posterior, posterior.posterior),
    (compare, compare.compare),
    (evaluate, evaluate.evaluate),
    (discover, discover.discover),
    (processes, processes.processes),
    (text, text.text),
    (query, query.query),
    (predict, predict.predict),
    (score, score.score),
    (sample, sample.sample),
    (convert, convert.convert),
    (show, show.show),
    (report, report.report),
    (demo, demo.demo),
    (reproduce, reproduce.reproduce),
):
    app.command(epilog=f"\b\nExamples:\n{indent(module.EXAMPLES, '  ')}")(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tacit {__version__}")
        raise typer.Exit


@app.callback()
def _tacit(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Tacit learns Bayesian networks when data alone is not enough."""
    del version


def run() -> None:
    """What the installed script calls."""
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names the terminal cannot show
    sys.exit(execute(sys.argv[1:]))


def _open_streams() -> None:
    """Whoever closed standard output or error wants nothing said there; the work is done."""
    sys.stdout = sys.stdout or StringIO()
    sys.stderr = sys.stderr or StringIO()


def execute(arguments: Sequence[str]) -> int:
    """Run one command line and return its status: 0 done, 1 a finding, 2 bad input."""
    try:
        return _execute(list(arguments) or ["--help"])
    except PARSING_ERROR as problem:
        return _complain(_usage(problem))
    except TacitError as problem:
        return _complain(f"tacit: {in_words(str(problem))}")
    except BrokenPipeError:
        return _without_reader()
    except (OSError, ImportError) as problem:
        return _complain(f"tacit: {_reason(problem)}")
    except MemoryError:
        return _complain("tacit: the memory of this machine is not enough for this")
    except (KeyboardInterrupt, typer.Abort):
        return _complain("tacit: interrupted", INTERRUPTED)
    except RuntimeError as problem:
        if str(problem) != QUERY_INTERRUPTED:
            raise
        return _complain("tacit: interrupted", INTERRUPTED)


def _execute(arguments: list[str]) -> int:
    try:
        with scripted(arguments) as remaining:
            answer = typer.main.get_command(app).main(
                remaining, prog_name="tacit", standalone_mode=False
            )
    except SystemExit as left:  # how typer ends help and completion
        return int(left.code or DONE)
    if isinstance(answer, Answer):
        answer.show()
        return answer.status
    if answer == INTERRUPTED:  # how typer hands on Ctrl-C
        raise KeyboardInterrupt
    return int(answer or DONE)


def _complain(message: str, status: int = BAD_INPUT) -> int:
    sys.stderr.write(message + "\n")
    return status


def _usage(problem: Any) -> str:
    """Typer's own words, and where to read more."""
    context = getattr(problem, "ctx", None)
    path = context.command_path if context is not None else "tacit"
    message = str(problem.format_message()).strip().rstrip(".").replace("Value error, ", "")
    return f"{path}: {message[:1].lower()}{message[1:]}\n\n{path} --help explains the command"


def _reason(problem: OSError | ImportError) -> str:
    if isinstance(problem, OSError) and problem.strerror:
        where = f"{problem.filename}: " if problem.filename else ""
        return f"{where}{problem.strerror}"
    return str(problem)


def _without_reader() -> int:
    """Whoever read the output went away, as `| head` does: end quietly, as other tools do."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return NO_READER
