"""Benchmarks: each prints what it measures, and one JSON object on its last line."""
