"""The office: the verbs of the front door, and the demo that strings them together."""
