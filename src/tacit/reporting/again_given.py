"""What a learner was given, as both languages write it: rules, priors, families, and so on."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from tacit.core.errors import quoted
from tacit.core.variables import Continuous
from tacit.families.conditional_gaussian import ConditionalGaussian
from tacit.families.gaussian import LinearGaussian
from tacit.learn.fits import Fit
from tacit.learn.origins import ASKED
from tacit.learn.structure.searched import Search
from tacit.reporting.again_settings import NOTHING, Said
from tacit.reporting.loans import LOANED, NORMAL

RULES = "rules.know"
"""The file that stands for rules that no file held."""
LONG = 2_000
"""A dag of more letters is no word for a command line, rules of more letters none for a call."""
_PRIORS = {"BDeu": "bdeu:{}", "K2": "k2", "Jeffreys": "jeffreys", "Dirichlet": "dirichlet:{}"}
_ESTIMATES = {"ML": "ml", "MAP": "map", "PosteriorMean": "mean", "Smoothed": "smoothed"}
_POLICIES = ("uniform", "prior", "error")
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
USUAL, NONE = "WeakNormal()", "WeakNormal(0)"
"""The prior of Gaussian families unless one is given, and that they have none."""
GIVEN_ROWS = "with given rows"
"""How a family is described whose rows came with the network."""


def unkept(name: str, described: str) -> Said:
    """A value that is described but not kept: dots stand for it, and no command has words."""
    return Said(
        name,
        None,
        (f"{name} = ...  # {' '.join(described.split())}",),
        f"The fit describes its {name} but does not keep it: put it where the dots stand.",
    )


def qualified(described: str) -> str:
    """`WeightAnnealing(Tabu())` as `tc.WeightAnnealing(tc.Tabu())`; text in quotes is kept."""
    pieces = re.split(r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""", described)
    pieces[::2] = [re.sub(r"(?<![\w.])([A-Z]\w*\()", r"tc.\1", piece) for piece in pieces[::2]]
    return "".join(pieces)


def parsed(described: str) -> tuple[str, list[Any], Mapping[str, Any]] | None:
    """Name, arguments and named arguments of a described value; None where it is no plain one."""
    try:
        call = ast.parse(described, mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            return None
        given = [ast.literal_eval(each) for each in call.args]
        named = {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
    except (SyntaxError, ValueError):
        return None
    return call.func.id, given, named


def is_python(described: str) -> bool:
    """Whether Python reads a description, behind `tc.`, as it stands."""
    return described.endswith(")") and "..." not in described and "<" not in described


def is_number(text: str) -> bool:
    """Whether this is written as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def dag_python(text: str) -> str:
    """The dag as a Python string; a long one gets a line per variable."""
    if len(text) < 80 or '"""' in text or "\\" in text:
        return repr(text)
    return '"""\n' + text.replace("; ", "\n") + '\n"""'


def seed(fit: Fit) -> Said:
    """What repeats all that was drawn at random."""
    return NOTHING if fit.seed is None else Said(repr(fit.seed), ["--seed", str(fit.seed)])


def level(fit: Fit) -> Said:
    """Of the intervals."""
    said = fit.settings["level"]
    return Said(repr(said), ["--level", str(said)])


def own(settings: Mapping[str, Any], name: str) -> str:
    """The prior or the estimate as it was asked for, before anything was borrowed."""
    said = settings.get(ASKED, settings)
    return str(said[name]).removesuffix(LOANED)


def prior(fit: Fit) -> Said:
    """Of tables, of Gaussian families, or of both."""
    tables, normal = own(fit.settings, "prior"), normal_said(fit)
    if tables == NORMAL:
        return normal_prior(fit)
    if not is_python(tables):
        return unkept("prior", tables)
    python = f"[tc.{tables}, tc.{normal}]" if normal else f"tc.{tables}"
    word, more = prior_word(tables), _normal_words(normal)
    if word is None or more is None:
        return Said(python, None)
    return Said(python, ["--prior", word, *more])


def normal_prior(fit: Fit) -> Said:
    """Of Gaussian families alone, where nothing has a table."""
    normal = normal_said(fit)
    return NOTHING if normal is None else Said(f"tc.{normal}", _normal_words(normal))


def normal_said(fit: Fit) -> str | None:
    """The prior of Gaussian families, unless it is the one that they have if none is given."""
    given, maximum = fit.settings.get("normal_prior"), own(fit.settings, "estimate")[:3] == "ML("
    if given is None and not maximum:  # saved before regressions had a prior unless given
        families = fit.network.families.values()
        lines = any(isinstance(each, LinearGaussian | ConditionalGaussian) for each in families)
        return NONE if lines else None
    return None if given is None or (given == USUAL and not maximum) else str(given)


def _normal_words(described: str | None) -> list[str] | None:
    """`NormalGamma(2)` as `2`, `WeakNormal(2)` as `weak:2`; None where there is no word."""
    if described is None:
        return []
    told = parsed(described)
    if told is None or told[2] or len(told[1]) > 1:
        return None
    if described == NONE:
        return ["--normal-prior", "none"]
    strength = str(told[1][0]) if told[1] else ""
    if told[0] == "WeakNormal":
        return ["--normal-prior", f"weak:{strength}" if strength else "weak"]
    return ["--normal-prior", strength or "1"]


def prior_word(described: str) -> str | None:
    """`BDeu(10)` as `bdeu:10`; None where there is no word."""
    name, _, strength = described.removesuffix(")").partition("(")
    if name not in _PRIORS or not is_number(strength or "1"):
        return None
    return _PRIORS[name].format(strength)


def estimate(fit: Fit) -> Said:
    """Which parameters were taken, and what became of rows that nothing determines."""
    if own(fit.settings, "prior") == NORMAL:
        return NOTHING
    described, empty = own(fit.settings, "estimate"), str(fit.settings["empty"])
    word = _ESTIMATES.get(described.partition("(")[0])
    if word is None or empty not in _POLICIES:
        return Said(f"tc.{described}", None)
    more = ["--empty", empty] if empty != "uniform" else []
    return Said(f"tc.{described}", ["--estimate", word, *more])


def knowledge(fit: Fit) -> Said:
    """The rules, from their files or as text."""
    if "knowledge" not in fit.settings:
        return NOTHING
    files = rule_files(fit)
    words = [word for name in files or [RULES] for word in ("--knowledge", name)]
    return Said("knowledge", words, [f"knowledge = {knowledge_python(fit, files)}"])


def knowledge_python(fit: Fit, files: Sequence[str]) -> str:
    """The files of the rules, or their text, as Python writes it."""
    text = str(fit.settings["knowledge"])
    if files and all(map(_is_knowledge, files)):
        return repr(files[0] if len(files) == 1 else list(files))
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


def hidden_said(states: Mapping[str, str | Sequence[str]]) -> Said:
    """`{"H": 3}` and `--hidden H=3`, or `--hidden "H={low, high}"`."""
    plain = plain_hidden(states)
    words = []
    for name, them in plain.items():
        told = str(them)
        if isinstance(them, list):
            told = f"{{{', '.join(map(quoted, them))}}}"
        words += ["--hidden", f"{quoted(name)}={told}"]
    return Said(repr(plain), words) if plain else NOTHING


def families_said(asked: str | Mapping[str, str]) -> Said:
    """The families that were asked for: one kind for all, or one for each; rows that were given
    come with the network."""
    if isinstance(asked, str):
        return Said(_python_kind(asked), _kind_words("", asked))
    told = {name: said for name, said in asked.items() if not said.endswith(GIVEN_ROWS)}
    if not told:
        return NOTHING
    words: list[str] | None = []
    for name, said in told.items():
        more = _kind_words(f"{quoted(name)}=", said)
        words = None if words is None or more is None else [*words, *more]
    shown = ", ".join(f"{name!r}: {_python_kind(said)}" for name, said in told.items())
    return Said(f"{{{shown}}}", words)


def _python_kind(said: str) -> str:
    if said in _KINDS:
        return _KINDS[said]
    return qualified(said) if said.startswith(("GrowTree(", "ListRows(")) else repr(said)


def _kind_words(named: str, said: str) -> list[str] | None:
    word = _LOOKED_FOR.get(said, said)
    if said in _KINDS or said in _LOOKED_FOR or said in _CURVES:
        return ["--family", f"{named}{word.removesuffix('-gaussian')}"]
    return None


def as_given_said(fit: Fit, settings: Mapping[str, Any]) -> Said:
    """Columns that were kept though they say nothing; on the command line one that is kept by its
    name is named by its kind, unless that was said when the cases were read."""
    given, reading = settings.get("as_given", False), fit.cases.reading
    if not given or given is True:
        return Said("True", ["--as-given"]) if given else NOTHING
    said = {} if reading is None else reading.options
    words, kinds = list[str](), fit.network.variables
    for name in given:
        kind = "continuous" if isinstance(kinds[name], Continuous) else "discrete"
        if name not in said.get(kind, ()):
            words += [f"--{kind}", quoted(name)]
    return Said(repr(list(given)), words)
