"""A stage as a job: what the machine that starts it does, and what the process in the cluster does."""
