"""Latent trees and forests: every variable has one parent at most, and nobody measured it."""
