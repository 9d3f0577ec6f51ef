"""headcount: which attention heads earn their place? Names only; nothing is loaded until it is used."""
