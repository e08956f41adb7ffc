"""`tacit text`: classes of documents, learned from their words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.cli.answers import Answer
from tacit.cli.choices import prior_of
from tacit.cli.options import Cases, Json, KnowledgeFiles, PriorName, Quiet, Seed, plain_name
from tacit.cli.targets import Target, check_targets, network_target, report_target, write_all
from tacit.core.errors import CasesError, OptionError, quoted
from tacit.core.variables import Discrete

if TYPE_CHECKING:
    from tacit.core.dataset import Dataset
    from tacit.learn.evaluation.evaluation import Evaluation
    from tacit.learn.text.model import TextModel
    from tacit.learn.text.prediction import TextPrediction


class Kind(Enum):
    """What a word says: each time it is written, or whether it stands in the document."""

    MULTINOMIAL = "multinomial"
    BERNOULLI = "bernoulli"


EXAMPLES = """\
tacit text mails.csv --text Body --target Topic --least 2 -o topics.json
tacit text mails.csv --text Body --target Topic --group Author --knowledge words.know \\
    --predict new-mails.csv --predictions classes.csv"""
FORMS = (".csv", ".tsv", ".parquet")
"""Suffixes of predictions."""


def text(
    cases: Cases,
    text: Annotated[
        str, typer.Option("--text", metavar="COLUMN", help="The column that holds the documents.")
    ],
    target: Annotated[
        str, typer.Option(metavar="COLUMN", help="The column that holds their classes.")
    ],
    kind: Annotated[Kind, typer.Option(help="Count words, or ask whether they stand.")] = (
        Kind.MULTINOMIAL
    ),
    least: Annotated[
        int, typer.Option(min=1, help="Words that stand in so many documents count.")
    ] = 1,
    group: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Who wrote them, or where; words depend on it, too."),
    ] = None,
    knowledge: KnowledgeFiles = None,
    prior: PriorName = "dirichlet:1",
    predict: Annotated[
        str | None,
        typer.Option(metavar="CASES", help="Other documents, whose classes are to be predicted."),
    ] = None,
    predictions: Annotated[
        str | None,
        typer.Option(
            metavar="OUT.csv", help="Where these classes are written: .csv .tsv .parquet."
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT",
            help="Where the classifier is written, as a network of class and word.",
        ),
    ] = None,
    network: Annotated[str | None, typer.Option(metavar="NET", hidden=True)] = None,
    report: Annotated[
        str | None,
        typer.Option(metavar="R.html", help="A report on that network: .html .md .txt .json."),
    ] = None,
    json: Json = False,
    seed: Seed = None,
    quiet: Quiet = False,
) -> Answer:
    """Learn classes of documents from their words.

    Naive Bayes: shares of the classes, and how often each word is written in each of them. With
    --predict the classes of other documents; if these say their classes, too, how well it went.
    """
    del seed
    _refuse_former(network, output)
    if (predict is None) != (predictions is None):
        raise OptionError("--predict CASES and --predictions OUT.csv belong together")
    named = [each for each in (text, target, group) if each is not None]
    if len(set(named)) < len(named):
        raise OptionError("--text, --target and --group name columns of their own")
    targets = {"network": network_target("-o", output)} if output else {}
    if predictions:
        targets["predictions"] = Target("--predictions", predictions, FORMS, FORMS[:2])
    targets |= {"report": report_target("--report", report)} if report else {}
    read = [("CASES", cases), *([("--predict", predict)] if predict else [])]
    read += [("--knowledge", file) for file in knowledge or ()]
    check_targets(list(targets.values()), *read)

    from tacit.learn.text.front import fit_text

    names = _Names(plain_name(text), plain_name(target), plain_name(group) if group else None)
    data = _read(cases, names.all)
    model = fit_text(
        _texts(data, names.text),
        _labels(data, names.target),
        kind=kind.value,
        least=least,
        groups=None if names.group is None else _labels(data, names.group),
        knowledge=[Path(file) for file in knowledge or ()] or None,
        prior=prior_of(prior),
        target=names.target,
        group=names.group or "Group",
    )
    found = None if predict is None else _predicted(model, names, predict)
    _write(targets, model, found)
    return _answer(model, found, targets, json=json, quiet=quiet)


def _refuse_former(network: str | None, output: str | None) -> None:
    """Nothing, or an error about options that once meant something else here.

    What `--network` names is read by every other command; nothing may write over it.
    """
    if network is not None:
        raise OptionError(
            f"--network names a file that is read, and tacit text reads none: {network} was left "
            f"as it is\n\nto write the classifier, say where with -o: -o {network}"
        )
    if output is not None and output.lower().removesuffix(".gz").endswith(FORMS):
        raise OptionError(
            f"-o writes the classifier, and {output} is no file of a network\n\nto write the "
            f"predicted classes, say where with --predictions: --predictions {output}"
        )


@dataclass(frozen=True, slots=True)
class _Names:
    """The columns of the command line, without their quotes."""

    text: str
    target: str
    group: str | None

    @property
    def all(self) -> list[str]:
        return [self.text, self.target, *([] if self.group is None else [self.group])]


def _read(source: str, columns: list[str]) -> Dataset:
    """Text columns of a file; numbers among them name states."""
    from tacit.io.cases import read_cases

    data = read_cases(source, columns=columns)
    if all(isinstance(each, Discrete) for each in data.variables.values()):
        return data
    return read_cases(source, columns=columns, discrete=columns)


def _texts(data: Dataset, name: str) -> list[str]:
    """The documents; one without text is empty."""
    variable = data.variables[name]
    assert isinstance(variable, Discrete)
    return [variable.states[code] if code >= 0 else "" for code in data[name].tolist()]


def _labels(data: Dataset, name: str) -> list[str]:
    """Classes or groups, which every document needs."""
    found = _texts(data, name)
    if "" in found:
        raise CasesError(f"document {found.index('') + 1} has no {quoted(name)}")
    return found


@dataclass(frozen=True, slots=True)
class _Predicted:
    """Predictions, and how good they are where the classes are known."""

    prediction: TextPrediction
    judged: Evaluation | None


def _predicted(model: TextModel, names: _Names, source: str) -> _Predicted:
    from tacit.io.cases import read_cases

    there = read_cases(source).names
    wanted = [names.text, *(each for each in names.all[1:] if each in there)]
    data = _read(source, wanted)
    groups = _labels(data, names.group) if names.group in wanted and names.group else None
    found = model.predict(_texts(data, names.text), groups=groups)
    judged = found.evaluate(_labels(data, names.target)) if names.target in wanted else None
    return _Predicted(found, judged)


def _write(targets: Mapping[str, Target], model: TextModel, found: _Predicted | None) -> None:
    import numpy as np

    from tacit.io.casesout import write_columns
    from tacit.io.formats import write
    from tacit.reporting.report import report

    def predictions(path: Path) -> None:
        assert found is not None
        best = {f"{model.classes.name}": np.array(found.prediction.most_probable)}
        write_columns({**best, **dict(found.prediction.columns())}, path)

    writers: dict[str, Callable[[Path], None]] = {
        "network": lambda path: write(model.network, path),
        "predictions": predictions,
        "report": lambda path: report(model.fit).save(path),
    }
    write_all([(target, writers[what]) for what, target in targets.items()])


def _answer(
    model: TextModel,
    found: _Predicted | None,
    targets: Mapping[str, Target],
    *,
    json: bool,
    quiet: bool,
) -> Answer:
    plain: dict[str, Any] = {
        "command": "text",
        "kind": model.kind,
        "documents": float(model.counts.documents.sum()),
        "words": len(model.dictionary),
        "classes": {
            state: {"documents": float(many), "telling": dict(model.telling(state))}
            for state, many in zip(
                model.classes.states, model.counts.documents.sum(axis=0), strict=True
            )
        },
        "notes": list(model.notes),
    }
    lines = [str(model)]
    if found is not None:
        plain["predicted"] = {"documents": len(found.prediction)}
        plain["notes"] += found.prediction.notes
        lines.append(str(found.prediction))
        if found.judged is not None:
            plain["prediction"] = found.judged.to_plain()
            lines.append(str(found.judged))
    if targets:
        plain["written"] = {what: target.path for what, target in targets.items()}
        lines += [f"{what} written to {target.path}" for what, target in targets.items()]
    return Answer("\n".join(lines), plain, json=json, quiet=quiet)
