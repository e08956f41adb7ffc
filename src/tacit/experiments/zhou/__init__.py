"""Zhou, Fenton, Hospedales and Neil (2015): transfer and rules in twelve networks."""
