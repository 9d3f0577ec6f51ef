"""The carpentry: scores to masks, masks to curves."""
