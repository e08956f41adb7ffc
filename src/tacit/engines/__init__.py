"""Where cases live: the statistics of families on these cases."""
