"""What was given to a learner, as Python and the command line write it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacit.core.errors import quoted
from tacit.core.variables import Continuous
from tacit.families.conditional_gaussian import ConditionalGaussian
from tacit.families.gaussian import LinearGaussian
from tacit.learn.fits import Fit
from tacit.learn.structure.searched import Search
from tacit.reporting.again_lent import own_prior
from tacit.reporting.loans import NORMAL

RULES = "rules.know"
"""The file that stands for rules that no file held."""
LONG = 2_000
"""A dag of more letters is no word for a command line, rules of more letters none for a call."""
_FILES = (".csv", ".tsv", ".parquet", ".arrow", ".feather", ".json", ".jsonl", ".ndjson")
_PRIORS = {"BDeu": "bdeu:{}", "K2": "k2", "Jeffreys": "jeffreys", "Dirichlet": "dirichlet:{}"}
_ESTIMATES = {"ML": "ml", "MAP": "map", "PosteriorMean": "mean", "Smoothed": "smoothed"}
_POLICIES = ("uniform", "prior", "error")
USUAL, NONE = "UnitInformation()", "UnitInformation(0)"
"""The prior of Gaussian families if none is given, and the one that is no prior."""


def cases_python(fit: Fit) -> str:
    """The line that reads the cases."""
    source = fit.cases.source
    if is_file(source):
        return f"cases = tc.read_cases({source!r})"
    return f"cases = ...  # {' '.join(source.split())}".rstrip("# ")


def cases_word(fit: Fit) -> str:
    """The file of the cases, or a word that stands for it."""
    return fit.cases.source if is_file(fit.cases.source) else "CASES"


def columns_python(settings: Mapping[str, Any]) -> list[str]:
    """Columns that were left out, and those kept though they say nothing; what was set aside
    is so again by itself."""
    left, given = list(settings.get("left_out", ())), settings.get("as_given", False)
    return [
        *([f"leave_out={left!r}"] if left else []),
        *([f"as_given={given!r}"] if given else []),
    ]


def columns_words(fit: Fit, settings: Mapping[str, Any]) -> list[str]:
    """The same as words; a column that was kept by its name is named by its kind."""
    words = [w for name in settings.get("left_out", ()) for w in ("--leave-out", quoted(name))]
    given, kinds = settings.get("as_given", False), fit.network.variables
    if given is True:
        return [*words, "--as-given"]
    for name in given or ():
        kind = "--continuous" if isinstance(kinds[name], Continuous) else "--discrete"
        words += [kind, quoted(name)]
    return words


def prior_python(fit: Fit) -> tuple[list[str], list[str]]:
    """Lines that name the prior, and arguments of the call."""
    prior, estimate = own_prior(fit.settings), f"estimate=tc.{fit.settings['estimate']}"
    normal = normal_said(fit)
    if is_python(prior):
        both = f"[tc.{prior}, tc.{normal}]" if normal else f"tc.{prior}"
        return [], [f"prior={both}", estimate]
    if prior != NORMAL:
        return [f"prior = ...  # {prior}"], ["prior=prior", estimate]
    return [], [f"prior=tc.{normal}"] if normal else []


def lines_python(fit: Fit) -> list[str]:
    """Arguments of a call that takes no prior of tables: what is not usual."""
    normal, estimate = normal_said(fit), str(fit.settings["estimate"])
    given = [f"prior=tc.{normal}"] if normal else []
    return given + ([] if estimate == "Smoothed()" else [f"estimate=tc.{estimate}"])


def normal_said(fit: Fit) -> str | None:
    """The prior of Gaussian families, unless it is the one that they have if none is given."""
    given, maximum = fit.settings.get("normal_prior"), str(fit.settings["estimate"])[:3] == "ML("
    if given is None and not maximum:  # saved before regressions had a prior unless given
        families = fit.network.families.values()
        lines = any(isinstance(each, LinearGaussian | ConditionalGaussian) for each in families)
        return NONE if lines else None
    return None if given is None or (given == USUAL and not maximum) else str(given)


def is_python(described: str) -> bool:
    """Whether Python reads a description, behind `tc.`, as it stands."""
    return described.endswith(")") and "..." not in described and "<" not in described


def prior_words(fit: Fit) -> list[str] | None:
    """`--prior bdeu:1 --estimate ml`; None where the command line has no words."""
    prior = prior_word(own_prior(fit.settings))
    estimate = _ESTIMATES.get(str(fit.settings["estimate"]).partition("(")[0])
    empty = str(fit.settings["empty"])
    if estimate is None or empty not in _POLICIES:
        return None
    more = ["--empty", empty] if empty != "uniform" else []
    if normal := normal_said(fit):
        word = normal_word(normal)
        if word is None:
            return None
        more += ["--normal-prior", word]
    if own_prior(fit.settings) == NORMAL:
        return more
    return None if prior is None else ["--prior", prior, "--estimate", estimate, *more]


def prior_word(described: str) -> str | None:
    """`BDeu(10)` as `bdeu:10`; None where there is no word."""
    prior, _, strength = described.removesuffix(")").partition("(")
    if prior not in _PRIORS or not is_number(strength or "1"):
        return None
    return _PRIORS[prior].format(strength)


def lines_words(words: Sequence[str]) -> list[str]:
    """What `prior_words` says that is not usual where nothing has a table."""
    said = dict(zip(words[::2], words[1::2], strict=True))
    usual = {"--prior": said.get("--prior"), "--estimate": "smoothed"}
    return [w for key, value in said.items() if usual.get(key) != value for w in (key, value)]


def normal_word(described: str) -> str | None:
    """`NormalGamma(2)` as `2`, `UnitInformation(2)` as `unit:2`; None where there is no word."""
    prior, _, strength = described.removesuffix(")").partition("(")
    if not is_number(strength or "1"):
        return None
    if prior == "NormalGamma":
        return strength or "1"
    return "none" if described == NONE else f"unit:{strength}" if strength else "unit"


def seed_words(fit: Fit) -> list[str]:
    """`--seed 7`, or nothing where nothing was drawn."""
    return ["--seed", str(fit.seed)] if fit.seed is not None else []


def knowledge_python(fit: Fit) -> str:
    """The files of the rules, or their text, as Python writes it."""
    files, text = rule_files(fit), str(fit.settings["knowledge"])
    if files and all(map(_is_knowledge, files)):
        return repr(files[0] if len(files) == 1 else files)
    if len(text) > LONG:
        return f"{RULES!r}  # a file of the rules above"
    if '"""' in text or "\\" in text or not text.replace("\n", "").isprintable():
        return repr(text)
    return f'"""\n{text.strip()}\n"""'


def _is_knowledge(name: str) -> bool:
    """Whether `tc.fit` takes this text for the name of a file."""
    return "\n" not in name and name.lower().removesuffix(".gz").endswith(".know")


def rule_files(fit: Fit) -> list[str]:
    """The files that hold all rules; none where some were written elsewhere."""
    files = [str(name) for name in fit.settings.get("knowledge_files", ())]
    told = fit.found.guidance if isinstance(fit, Search) else ()
    elsewhere = any(not said.startswith(tuple(f"{name}:" for name in files)) for said in told)
    return files if all(rule.source in files for rule in fit.rules) and not elsewhere else []


def is_file(source: str) -> bool:
    """Whether the cases came from a file that `tc.read_cases` reads."""
    return source.lower().removesuffix(".gz").endswith(_FILES) and "\n" not in source


def knowledge_words(fit: Fit) -> list[str]:
    """`--knowledge expert.know`, for every file of rules."""
    if "knowledge" not in fit.settings:
        return []
    return [word for name in rule_files(fit) or [RULES] for word in ("--knowledge", name)]


def is_number(text: str) -> bool:
    """Whether this is written as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def plain_hidden(states: Mapping[str, str | Sequence[str]]) -> dict[str, int | str | list[str]]:
    """{"H": 3}, the states by name where they have names, or the word that there are none."""
    return {
        name: them
        if isinstance(them, str)
        else len(them)
        if list(them) == _numbered(them)
        else list(them)
        for name, them in states.items()
    }


def _numbered(states: Sequence[str]) -> list[str]:
    return [str(at + 1) for at in range(len(states))]


def hidden_words(hidden: Mapping[str, int | str | list[str]]) -> list[str]:
    """`--hidden H=3`, or `--hidden "H={low, high}"`."""
    words = []
    for name, states in hidden.items():
        told = str(states)
        if isinstance(states, list):
            told = f"{{{', '.join(map(quoted, states))}}}"
        words += ["--hidden", f"{quoted(name)}={told}"]
    return words


_KINDS = {
    "noisy-or": "tc.NoisyOr",
    "noisy-and": "tc.NoisyAnd",
    "noisy-max": "tc.NoisyMax",
}
_LOOKED_FOR = {
    "GrowTree()": "tree-table",
    "GrowTree(exact=True)": "tree-table:exact",
    "ListRows()": "default-table",
}
"""How rows were looked for, and the word of `--family` for it."""


_CURVES = ("sigmoid-gaussian", "softplus-gaussian")


def families_python(families: Mapping[str, str]) -> str:
    """The families that were asked for as Python writes them; rows that were given come with the
    network."""
    told = {
        name: _python_kind(said)
        for name, said in families.items()
        if not said.endswith("with given rows")
    }
    shown = ", ".join(f"{name!r}: {said}" for name, said in told.items())
    return f"families={{{shown}}}" if shown else ""


def kinds_python(asked: str | Mapping[str, str]) -> str:
    """The kinds that a search was asked for: one for all columns, or one for each."""
    if isinstance(asked, str):
        return f"families={_python_kind(asked)}"
    return families_python(asked)


def kinds_words(asked: str | Mapping[str, str]) -> list[str] | None:
    """The same as `--family` writes them; None where it has no words for one."""
    if isinstance(asked, str):
        return families_words({"": asked}, "")
    return families_words(asked)


def _python_kind(said: str) -> str:
    if said in _KINDS:
        return _KINDS[said]
    if said.startswith(("GrowTree(", "ListRows(")):
        return f"tc.{said}".replace("score=", "score=tc.")
    return repr(said)


def families_words(families: Mapping[str, str], equals: str = "=") -> list[str] | None:
    """The same as `--family` writes them; None where it has no words for one."""
    words: list[str] = []
    for name, said in families.items():
        word = _LOOKED_FOR.get(said, said)
        if said in _KINDS or said in _LOOKED_FOR or said in _CURVES:
            named = f"{quoted(name)}=" if equals else ""
            words += ["--family", f"{named}{word.removesuffix('-gaussian')}"]
        elif not said.endswith("with given rows"):
            return None
    return words
