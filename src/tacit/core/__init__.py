"""Frozen values that everything else is made of: variables, dags, cases, networks, errors."""
