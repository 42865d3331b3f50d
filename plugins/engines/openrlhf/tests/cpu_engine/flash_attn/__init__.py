"""A stand-in for flash-attn in the tests: the padding functions that OpenRLHF 0.11.2 imports, and no kernel."""

__version__ = "2.8.3"
