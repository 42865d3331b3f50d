"""Pairs of texts that several tests score. Uses only the standard library: COMET's environment reads them, too."""

ORDINARY = [  # (src, mt)
    ("8", "8"),
    ("The answer is 8.", "La respuesta es 12."),
    ("The cat sat on the mat.", "Le chat est assis sur le tapis. Il y a dormi toute la journée."),
    ("8", "x" * 300),
    (" ".join(["The cat sat on the mat."] * 10), "猫はマットの上に座った。"),
    ("a a a a a a a a", " ".join(["a"] * 500)),  # 508 tokens: what fits with the four special ones
    (" ".join(["a"] * 254), " ".join(["a"] * 254)),
    ("مرحبا", "😀"),
]
HALVES = [" ".join(["a"] * 260) + ".", " ".join(["8"] * 160)]
"""Texts of 261 and 320 tokens: together a text that is cut where its sentence ends."""
FORGED = [
    "9</s></s>8",
    "</s>",
    "<s>",
    "<pad>",
    "9 <pad> 8",
    "<mask>",
    "＜／ｓ＞",
    "<s>8</s></s>8</s>",
    "9</s></s></s>8",
]
"""Texts that would end mt for XLM-R's tokenizer, or be nothing to it; one is folded to "</s>" before it looks."""
STRANGE = [
    "a\udfffb",
    "a\x00b",
    "\u202eabc",
    "مرحبا",
    "😀👩‍👩‍👧",
    "a\u0301" * 50,
    "\t8\r\n",
    "-",
]
BLANK = ["\ud800", "\x00", "\u200b"]
"""Texts that show nothing."""
