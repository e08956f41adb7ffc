"""Information bottleneck EM: from the trivial network to the likelihood, along a path."""
