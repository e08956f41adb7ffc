"""The library speaks of its arguments as Python writes them; the command line has other words."""

from __future__ import annotations

import re

WORDS = (
    (
        r"method takes tc\.HillClimb\(\) or tc\.Tabu\(\) here, or tc\.WeightAnnealing\(\) of one, "
        r"not [^\n]*:",
        "--method takes hill, tabu or weight-annealing where cells are missing or variables "
        "hidden:",
    ),
    (
        r"method takes tc\.HillClimb\(\), tc\.Tabu\(\) or tc\.IdealParent\(\) where",
        "--method takes hill, tabu or ideal where cells are missing and",
    ),
    (
        r"(prior=)?tc\.WeakNormal\(\)( as a prior,)? with estimate=tc\.Smoothed\(\)",
        "--normal-prior weak with --estimate smoothed",
    ),
    (r"estimate=tc\.PosteriorMean\(\)", "--estimate mean"),
    (
        r"method=tc\.AvailableCases\(\) in tc\.fit, or .* in tc\.Statistics\.update",
        "--method available",
    ),
    (r"(method=)?tc\.AvailableCases\(\)", "--method available"),
    (r"(method=)?tc\.EM\(\)", "--method em"),
    (r"method=tc\.LikelihoodWeighting\(100_000\)", "--method weighting:100000"),
    (r"(estimate=)?tc\.Smoothed\(\)", "--estimate smoothed"),
    (r'\bhidden="rest"', "--hidden rest"),
    (r"\bhidden=\{'([^']*)': (\d+)\}", r"--hidden \1=\2"),
    (r'\bstart="given"', "--start given"),
    (r"\bcheckpoint=", "--checkpoint"),
    (r"(?<![(])(?<!, )(?<!\n    )\b(restarts|tolerance)=(?=-?[\d.n])", r"--\1 "),
    (r"\bmax_steps=(?=-?\d)", "--max-steps "),
    (r"tc\.ML\(empty='uniform'\)", "--empty uniform"),
    (r"tc\.ML\(\)", "--estimate ml"),
    (r"estimate=tc\.MAP\(\)", "--estimate map"),
    (r"(transfer=)?tc\.BestFragment\(\)", "--transfer best"),
    (r"\bsources=(?=\s)", "--source"),
    (r"tc\.K2\(\)", "--prior k2"),
    (r"tc\.(BIC|AIC|BGe)\(\)", lambda found: f"--score {found[1].lower()}"),
    (r"\bscore=(?=\w+\()", "--score "),
    (r"\bbe tc\.BDeu\((\d+)\) or", r"be --score bdeu:\1 or"),
    (r"\buse tc\.BDeu\((\d+)\)", r"use --score bdeu:\1"),
    (r"\bor tc\.BDeu\((\d+)\)", r"or --score bdeu:\1"),
    (r"tc\.Tabu\(\)", "--method tabu"),
    (r"tc\.HillClimb\(\)", "--method hill"),
    (r"tc\.IdealParent\(\)", "--method ideal"),
    (r"tc\.search\(data, method=tc\.IdealParent\(hidden=True\)\)", "tacit hidden"),
    (r"\bfamilies=(?= names| says)", "--family"),
    (r"\bleave families= out", "leave --family out"),
    (r"\bout of families=", "out of --family"),
    (r"\btarget=(?=')", "--target "),
    (r"\n\norder=\{\.\.\.\} or like=\.\.\. would name them", ""),
    (r"\b(noise|baseline)=(?=')", r"--\1 "),
    (r"\bby share=tc\.Merging\(\)", "by --share merge"),
    (r"\bgive places to tc\.read_trials \(--places on the command line\)", "give --places FILE"),
    (r"\bgive tc\.read_trials places with a column", "give --places FILE with a column"),
    (r"\bshare='regions'", "--share regions"),
    (r"\bcuts=(?=\()", "--cuts "),
    (r"\b(trial|time)='(?=[^=]*')", r"--\1 '"),
    (r"\bin knowledge=", "in --knowledge"),
    (
        r"\bleave_out=\[((?:'[^']*'(?:, )?)+)\]",
        lambda found: " ".join(f"--leave-out {each}" for each in re.findall("'([^']*)'", found[1])),
    ),
    (r"\bas_given=True\b", "--as-given"),
    (r"tc\.read_cases\(\.\.\., continuous=\[\.\.\.\]\)", "--continuous NAME"),
    (r"\b(discrete|continuous)=\[\.\.\.\]", r"--\1 NAME"),
    (r"\bmissing=\[('[^']*'|\"[^\"]*\")\]", r"--missing \1"),
    (r"\bshare=(?=-?[\d.]|nan|-?inf)", "--missing-share "),
    (r"\blevel=(?=-?[\d.]|nan|-?inf)", "--level "),
    (r"\b(table|query|weights)=(?=\s)", r"--\1"),
    (r"\bwithin=\s?", "--within "),
    (r"\bkinds=\s?", "--kind "),
    (r'children=\{"Severity": \["Cough", "Fever"\]\}', '--children "Severity -> Cough, Fever"'),
    (r"\bmake [a-z ]+ discrete with tc\.discretise, or (?=leave |give )", ""),
    (r"\bheld_out=(?=[-\d.nTF])", "--held-out "),
    (r"\b(children|states|refuse)=(?=\s)", r"--\1"),
    (r"\b(method|knowledge|score)=(?= speaks)", r"--\1"),
    (r"\bhidden=(?= names)", "--hidden"),
    (r"\bfamilies=\{'([^']*)': tc\.NoisyOr\}", r"--family \1=noisy-or"),
    (r"\b(states|evidence|name|tries|shown|least|most|bootstrap)=(?=['\d.n-])", r"--\1 "),
    (r"\btc\.(fit|posterior|compare|discover|search)\b", r"tacit \1"),
    (r"\b(draws|precision|folds|threshold|likelihood)=(?=['\d.n-])", r"--\1 "),
)


def in_words(message: str) -> str:
    """A message of the library with options in place of arguments."""
    for python, option in WORDS:
        message = re.sub(python, option, message)
    return message
