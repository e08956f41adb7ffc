"""From a network and cases to likelihoods, samples and divergences."""
