"""Which characters are emoji, by the blocks of Unicode that hold them."""

_RANGES = (
    (0x203C, 0x203C),
    (0x2049, 0x2049),
    (0x2122, 0x2122),
    (0x2139, 0x2139),
    (0x2194, 0x21AA),
    (0x231A, 0x23FF),
    (0x24C2, 0x24C2),
    (0x25AA, 0x25FE),
    (0x2600, 0x27BF),
    (0x2934, 0x2935),
    (0x2B05, 0x2B55),
    (0x3030, 0x303D),
    (0x3297, 0x3299),
    (0x1F000, 0x1FAFF),
)


def is_emoji(text: str) -> bool:
    """Return whether a text begins with an emoji."""
    code = ord(text[0]) if text else 0
    return any(low <= code <= high for low, high in _RANGES)
