"""Two layers: hidden variables without states, and columns that depend on them alone."""
