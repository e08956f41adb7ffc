"""Out of local maxima: weights of cases that cool down, and moves accepted by chance."""
