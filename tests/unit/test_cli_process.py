"""The command as a process: statuses, streams, completion, interruption."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import tacit as tc
from tacit.cli import convert, main
from tacit.cli.main import execute

TACIT = [sys.executable, "-m", "tacit"]


def process(
    *words: str, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """The command run without a terminal."""
    return subprocess.run(
        [*TACIT, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_need_no_terminal(shell: str) -> None:
    done = process("--show-completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"_TACIT_COMPLETE=complete_{shell}" in done.stdout
    program = shutil.which(shell)
    if program is not None:  # a shell that is here must be able to read its script
        subprocess.run([program, "-n"], input=done.stdout, text=True, check=True)


def test_completion_asks_for_no_more_than_a_known_shell(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["--show-completion", "fihs"]) == 2
    assert capsys.readouterr().err == (
        "tacit: there is no completion for the shell 'fihs'; did you mean 'fish'?"
        "\n\nshells: bash, zsh, fish, powershell, pwsh\n"
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tacit s", {"score", "sample", "search", "show"}),
        ("tacit fit --esti", {"--estimate"}),
        ("tacit fit --estimate m", {"ml", "map", "mean"}),
        ("tacit fit --prior b", {"bdeu"}),
    ],
)
def test_the_shell_completes_commands_options_and_words(line: str, expected: set[str]) -> None:
    at = str(len(line.split()) - 1)
    done = process(COMP_WORDS=line, COMP_CWORD=at, _TACIT_COMPLETE="complete_bash")
    assert (done.returncode, set(done.stdout.split())) == (0, expected)


def test_a_process_prints_one_object_and_says_all_else_elsewhere(tmp_path: Path) -> None:
    tc.write(tc.textbook("asia"), tmp_path / "asia.bif")
    words = ["sample", "asia.bif", "-n", "9", "-o", "s.csv", "--seed", "1", "--json"]
    done = process(*words, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["seed"] == 1


@pytest.mark.parametrize("words", [["show", "nothing.bif"], ["fit"], ["show", "A -> B -> A"]])
def test_bad_input_is_status_2_and_one_message(tmp_path: Path, words: list[str]) -> None:
    done = process(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tacit")
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_reader_that_leaves_ends_the_command_quietly(tmp_path: Path) -> None:
    tc.write(tc.textbook("alarm"), tmp_path / "alarm.bif")
    with subprocess.Popen(
        [*TACIT, "show", "alarm.bif", *tc.textbook("alarm")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 128 + signal.SIGPIPE


@pytest.mark.parametrize(
    ("problem", "status", "message"),
    [
        (KeyboardInterrupt(), 130, "tacit: interrupted\n"),
        (MemoryError(), 2, "tacit: the memory of this machine is not enough for this\n"),
        (PermissionError(13, "Permission denied", "x.bif"), 2, "tacit: x.bif: Permission denied\n"),
        (OSError("odd"), 2, "tacit: odd\n"),
        (ImportError("this needs 'more'"), 2, "tacit: this needs 'more'\n"),
    ],
)
def test_what_interrupts_a_command_is_one_line(
    problem: BaseException,
    status: int,
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(text: str) -> None:
        raise problem

    monkeypatch.setattr(convert, "network_of", fail)
    assert execute(["convert", "in.bif", "out.bif"]) == status
    assert capsys.readouterr() == ("", message)


def test_ctrl_c_ends_a_process_with_one_line(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "slow.bif")  # nobody writes: reading waits for ever
    with subprocess.Popen(
        [*TACIT, "show", "slow.bif"], stderr=subprocess.PIPE, text=True, cwd=tmp_path
    ) as running:
        writer = os.open(tmp_path / "slow.bif", os.O_WRONLY)  # returns when the reader is there
        running.send_signal(signal.SIGINT)
        assert running.stderr is not None
        said = running.stderr.read()
        os.close(writer)
    assert (running.returncode, said) == (130, "tacit: interrupted\n")


def test_a_true_fault_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(text: str) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(convert, "network_of", fail)
    with pytest.raises(ZeroDivisionError):
        execute(["convert", "in.bif", "out.bif"])


def test_the_installed_script_leaves_with_the_status(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["tacit", "no-such-command"])
    with pytest.raises(SystemExit, match="2"):
        main.run()


@pytest.mark.parametrize(("closing", "status"), [(">&-", 0), ("2>&-", 2)])
def test_a_closed_stream_changes_no_status(tmp_path: Path, closing: str, status: int) -> None:
    word = "'A -> B'" if status == 0 else "none.bif"
    line = f"{sys.executable} -m tacit show {word} {closing}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (status, b"", b"")
