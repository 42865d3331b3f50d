"""A tool without a state: a function with type hints, and what each argument is."""


def multiply(a: int, b: int) -> str:
    """Multiply two numbers.

    Args:
        a: the first
        b: the second
    """
    return str(a * b)
