"""Numbers of things in messages: "1 row", "2,000 rows"."""


def counted(count: int, unit: str) -> str:
    """Return a number and what it counts, in the plural unless it is one: of 2000 and "row" it is "2,000 rows"."""
    return f"{count:,} {unit}{'' if count == 1 else 's'}"
