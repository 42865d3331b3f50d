"""The memory that JSON takes once it is read: a value takes far more than its characters."""

A_VALUE = 64
"""bytes that a value takes beside its text: an empty list has 56, and 8 in the list around it"""


def memory_of_json(text: bytes) -> int:
    """Return the bytes of memory that JSON takes as Python values, about, and rather more than less.

    Each value but the first of a list or an object has a comma or a bracket before it.
    """
    return len(text) + A_VALUE * (text.count(b",") + text.count(b"[") + text.count(b"{"))
