"""EM where some variables are continuous."""
