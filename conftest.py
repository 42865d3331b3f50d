"""Hypothesis without its explain phase, for all tests.

That phase traces every line of what is tested: slow, and on Python 3.11 a trace function and an eval breaker that
another thread keeps set make the interpreter go round at a function's first instruction for ever (seen once).
"""

from hypothesis import Phase, settings

settings.register_profile(
    "without tracing",
    parent=settings.get_profile(settings.get_current_profile_name()),
    phases=[phase for phase in Phase if phase is not Phase.explain],
)
settings.load_profile("without tracing")
