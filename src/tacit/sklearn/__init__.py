"""Estimators that keep scikit-learn's contract: Bayesian networks in its pipelines and searches.

    pip install "tacit-bn[sklearn]"

They take numbers, text, missing cells (nan or None) and rules of experts.
"""

from __future__ import annotations

from tacit.sklearn.classifier import BayesNetClassifier
from tacit.sklearn.density import BayesNetDensity
from tacit.sklearn.imputer import BayesNetImputer
from tacit.sklearn.latent import LatentClasses
from tacit.sklearn.text import TextClassifier

__all__ = [
    "BayesNetClassifier",
    "BayesNetDensity",
    "BayesNetImputer",
    "LatentClasses",
    "TextClassifier",
]
