"""The `trl` backend: one process on one machine, CPU or GPU. TRL 1.16."""
