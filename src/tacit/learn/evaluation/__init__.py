"""How well a variable is predicted: measures, held-out predictions, learning curves."""
