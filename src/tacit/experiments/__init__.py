"""Experiments of the papers, run again: their figures beside ours."""
