"""Lines and curves fitted to cases with gaps: EM at weighted points of what bends the curves."""
