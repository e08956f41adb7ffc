"""Exact inference where variables are continuous: linear Gaussians, alone or chosen by states."""
