"""Tables borrowed from related sites: which fragment fits, how well, and what it is worth."""
