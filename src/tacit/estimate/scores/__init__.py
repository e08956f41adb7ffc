"""What a dag is worth on cases: scores that are sums over families, and priors over dags."""
