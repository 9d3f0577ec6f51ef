"""The measuring room: sees protocols, not models."""
