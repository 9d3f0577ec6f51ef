"""The gallery: reads records, draws pages. No torch."""
