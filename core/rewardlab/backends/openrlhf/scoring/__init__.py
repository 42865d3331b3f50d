"""The actors of a job that score: the desk, which all of them share, and the scorers."""
