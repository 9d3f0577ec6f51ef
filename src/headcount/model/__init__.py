"""The workshop: the only room that knows Transformers."""
