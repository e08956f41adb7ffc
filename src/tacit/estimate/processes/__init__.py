"""Courses of hidden processes: what they need of measurements, and least squares on that."""
