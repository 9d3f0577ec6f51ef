"""The archive: records in a folder, whole or absent. No torch."""
