"""The graders of the audit: a module for each source, with `GRADERS`, a list of its entries."""
