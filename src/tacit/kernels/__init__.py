"""Machine code by numba: arrays in, arrays out. Imported inside the functions that call it."""
