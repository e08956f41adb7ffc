"""What all tests share: how many examples hypothesis tries, and where networks and data lie."""

from __future__ import annotations

import importlib.util
import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

COMMON = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
    "print_blob": True,
}
settings.register_profile("default", max_examples=40, derandomize=True, database=None, **COMMON)
settings.register_profile("full", max_examples=500, **COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # a shell that starts the tests in the background has them ignore Ctrl-C, which many test
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def example_models() -> Path:
    """The classic networks that the installed pgmpy wheel carries, as `*.bif.gz`."""
    spec = importlib.util.find_spec("pgmpy")
    assert spec is not None, "the tests need pgmpy: pip install tacit-bn[dev]"
    assert spec.submodule_search_locations
    folder = Path(spec.submodule_search_locations[0]) / "utils" / "example_models"
    assert (folder / "alarm.bif.gz").is_file(), f"no example networks in {folder}"
    return folder


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of public networks and tables, for tests marked `data`."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("TACIT_DATA", beside))
    assert folder.is_dir(), f"no folder {folder}; name it in TACIT_DATA"
    return folder
