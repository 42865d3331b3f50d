"""The command that this distribution brings."""
