"""The kitchen: fine-tuning, and the questions a method may ask of a model."""
