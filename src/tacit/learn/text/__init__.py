"""Documents of words in classes: naive Bayes that counts words, or asks whether they stand."""
