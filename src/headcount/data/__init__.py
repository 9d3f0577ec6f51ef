"""The pantry: texts in, labelled examples and batches out."""
