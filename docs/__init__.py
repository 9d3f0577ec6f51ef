"""Documentation; the generated parts are made by `generate`."""
