"""The greenhouse: artificial languages and tiny models whose truth is known."""
