"""Estimates of Gaussian families: conjugate priors, and one regression at a time."""
