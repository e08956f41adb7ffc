"""Learning: from a structure, cases and a prior to a fitted network, and what a fit keeps."""
