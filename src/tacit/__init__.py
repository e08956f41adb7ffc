"""Tacit learns Bayesian networks when data alone is not enough.

    import tacit as tc

    data = tc.read_cases("patients.csv")
    fit = tc.fit("Smoker -> Cancer <- Genes; Cancer -> Xray", data)
    fit.network["Cancer"]

Names are loaded when they are first used, so that importing the package costs little.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "tacit.core.variables": ("Discrete", "Continuous"),
    "tacit.core.dag": ("Dag",),
    "tacit.core.dataset": ("Dataset",),
    "tacit.core.network": ("Network",),
    "tacit.core.trials": ("Onset", "Trials"),
    "tacit.core.independence": (
        "ancestors",
        "d_separated",
        "descendants",
        "markov_blanket",
        "moral_graph",
    ),
    "tacit.core.difference": ("DagDifference", "compare_dags", "shd"),
    "tacit.core.equivalence": (
        "Cpdag",
        "cpdag",
        "equivalent",
        "is_imap",
        "is_minimal_imap",
        "minimal_imap",
    ),
    "tacit.core.errors": (
        "TacitError",
        "DagError",
        "CycleError",
        "NetworkError",
        "TableError",
        "CasesError",
        "ColumnError",
        "StateError",
        "WeightError",
        "MissingError",
        "FormatError",
        "EstimateError",
        "SizeError",
        "OptionError",
        "QueryError",
        "ImpossibleError",
        "KnowledgeError",
        "ConflictError",
    ),
    "tacit.families.table": ("Table", "table"),
    "tacit.families.tree": ("Tree",),
    "tacit.families.tree_table": ("TreeTable",),
    "tacit.families.default_table": ("DefaultTable",),
    "tacit.estimate.local.settings": ("GrowTree", "ListRows"),
    "tacit.estimate.projection": ("Projection", "project"),
    "tacit.families.gaussian": ("LinearGaussian",),
    "tacit.families.curved": ("SigmoidGaussian", "SoftplusGaussian"),
    "tacit.families.conditional_gaussian": ("ConditionalGaussian",),
    "tacit.families.conditional_moments": ("ConditionalMoments",),
    "tacit.families.counts": ("Counts",),
    "tacit.families.noisy_max": ("NoisyMax",),
    "tacit.families.noisy_or": ("NoisyAnd", "NoisyOr"),
    "tacit.families.moments": ("Moments",),
    "tacit.knowledge.knowledge": ("Knowledge", "parse_knowledge", "read_knowledge"),
    "tacit.knowledge.quantities": ("P",),
    "tacit.knowledge.applying": ("rule",),
    "tacit.knowledge.trees": ("tree_rules",),
    "tacit.knowledge.adapters": (
        "hidden_markov",
        "ignores_when",
        "multinet",
        "same_module",
        "same_slices",
        "same_tables",
    ),
    "tacit.io.formats": ("read", "write"),
    "tacit.io.cases": ("read_cases", "to_frame"),
    "tacit.io.casesout": ("write_cases",),
    "tacit.io.trials": ("read_trials",),
    "tacit.io.discretise": ("discretise",),
    "tacit.io.textbook": ("textbook",),
    "tacit.io.interop": (
        "from_networkx",
        "from_pgmpy",
        "from_pyagrum",
        "to_networkx",
        "to_pgmpy",
        "to_pyagrum",
    ),
    "tacit.estimate.continuous.prior": ("NormalGamma",),
    "tacit.estimate.estimates": ("ML", "MAP", "PosteriorMean", "Smoothed"),
    "tacit.estimate.priors": ("BDeu", "Dirichlet", "Jeffreys", "K2", "Prior"),
    "tacit.estimate.normals": ("TruncatedNormal",),
    "tacit.estimate.bayes.draws": ("Sampling",),
    "tacit.infer.explanation": ("most_probable",),
    "tacit.infer.information": ("mutual_information", "sensitivity"),
    "tacit.infer.likelihood": ("log_likelihood",),
    "tacit.infer.normal.joint": ("joint_normal",),
    "tacit.infer.normal.mixtures": ("NormalAnswer",),
    "tacit.infer.prediction": ("predict",),
    "tacit.infer.queries": ("query",),
    "tacit.infer.weighting": ("LikelihoodWeighting",),
    "tacit.infer.sampling": ("AtRandom", "sample"),
    "tacit.infer.divergence": ("divergence", "equivalent_size"),
    "tacit.engines.statistics": ("Statistics", "load_statistics"),
    "tacit.learn.fit": ("fit",),
    "tacit.learn.fits": ("Fit",),
    "tacit.learn.saved": ("load_fit",),
    "tacit.learn.methods": ("EM", "AvailableCases", "FillIn", "Gradient", "MeanFieldEM"),
    "tacit.learn.annealing.settings": ("WeightAnnealing",),
    "tacit.learn.bottleneck.enrichment": ("Enrichment",),
    "tacit.learn.bottleneck.settings": ("IBEM",),
    "tacit.learn.bottleneck.annealing": ("deterministic_annealing", "naive_annealing"),
    "tacit.learn.bottleneck.path": ("BottleneckPath", "PathStep"),
    "tacit.learn.annealing.simulated": ("SimulatedAnnealing",),
    "tacit.knowledge.checks": ("Check",),
    "tacit.learn.checking": ("check",),
    "tacit.learn.sources": ("Source",),
    "tacit.learn.transfers": ("Aggregate", "BestFragment", "Mixture", "Pool"),
    "tacit.estimate.transfer.normal_prior": ("NormalPrior",),
    "tacit.learn.posterior": ("posterior",),
    "tacit.learn.posteriors": ("Posterior",),
    "tacit.learn.auxiliary": ("auxiliary",),
    "tacit.learn.folds": ("cross_validate",),
    "tacit.learn.heldout": ("CrossValidation",),
    "tacit.learn.evaluation.evaluation": ("Evaluation",),
    "tacit.learn.evaluation.predicted": ("evaluate",),
    "tacit.learn.evaluation.curve": ("LearningCurve",),
    "tacit.learn.evaluation.learning": ("learning_curve",),
    "tacit.learn.compare": ("compare",),
    "tacit.learn.comparison": ("Comparison",),
    "tacit.estimate.scores.values": ("AIC", "BGe", "BIC", "LogLikelihood", "MDL", "QNML"),
    "tacit.estimate.scores.dag_priors": (
        "ArcBeliefs",
        "ArcPenalty",
        "DescriptionLength",
        "ParentCounts",
    ),
    "tacit.learn.structure.advising": ("Advice", "advise"),
    "tacit.learn.structure.search": ("search",),
    "tacit.learn.structure.structural_em": ("structural_em",),
    "tacit.learn.structure.cheeseman_stutz": ("cheeseman_stutz",),
    "tacit.learn.structure.searched": ("Search",),
    "tacit.learn.structure.scored": ("Scored", "score"),
    "tacit.learn.structure.confidence": ("ArcConfidence",),
    "tacit.learn.structure.moves": ("Move",),
    "tacit.learn.structure.settings": ("HillClimb", "IdealParent", "Tabu"),
    "tacit.learn.structure.methods_exact": ("TAN", "ChowLiu", "Exact"),
    "tacit.learn.unseen.propose": ("propose_hidden",),
    "tacit.learn.unseen.proposals": ("HiddenCandidate", "HiddenProposal", "HiddenProposals"),
    "tacit.learn.unseen.profile": ("Profile",),
    "tacit.learn.unseen.removal": ("remove_variable",),
    "tacit.learn.unseen.signatures": ("Signature", "Signatures", "signatures"),
    "tacit.learn.unseen.insertion": ("insert_hidden",),
    "tacit.learn.unseen.agglomeration": ("agglomerate",),
    "tacit.learn.unseen.agglomerated": ("Agglomeration",),
    "tacit.learn.hierarchies.building": ("grouped_hierarchy", "quadrant_hierarchy"),
    "tacit.learn.classes.multinet": ("Multinet", "fit_multinet"),
    "tacit.learn.text.words": ("Words", "words"),
    "tacit.learn.text.model": ("TextModel",),
    "tacit.learn.text.prediction": ("TextPrediction",),
    "tacit.learn.text.front": ("fit_text",),
    "tacit.learn.discover": ("discover",),
    "tacit.learn.discovered": ("Discovery",),
    "tacit.learn.discovery.finds": ("Proposal",),
    "tacit.learn.averages": ("Average", "average"),
    "tacit.learn.dynamic": ("Unrolled", "sequences", "unroll"),
    "tacit.learn.dimension": ("effective_dimension",),
    "tacit.io.missing": ("missing_as_state",),
    "tacit.learn.processes.settings": ("HiddenProcesses", "Merging", "Partition"),
    "tacit.learn.processes.fitted": ("ProcessFit", "ProcessGroup"),
    "tacit.learn.processes.saved": ("load_processes",),
    "tacit.reporting.report": ("Report", "report"),
    "tacit.version": ("__version__",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = list(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'tacit' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
