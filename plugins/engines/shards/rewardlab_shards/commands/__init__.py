"""The commands that this distribution brings, one file each."""
