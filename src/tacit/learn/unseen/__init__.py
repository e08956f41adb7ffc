"""Variables that nobody measured: where they are missing, and how many states they have."""
