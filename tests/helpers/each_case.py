"""One test of a table of cases: one report and one set of fixtures for the table, not for each of its rows."""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any


def each_case(names: str, cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Try a test with one case after the other, as in `each_case("text, length", [("a", 1), ("", 0)])`.

    A failure names its case. It suits comparisons; what needs a folder or a server for each case is parametrized.
    """
    keys, rows = names.replace(" ", "").split(","), list(cases)
    assert rows, f"no cases for {names}"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def of_all(*args: Any, **fixtures: Any) -> None:
            for number, row in enumerate(rows):
                try:
                    test(*args, **fixtures, **dict(zip(keys, row if len(keys) > 1 else (row,), strict=True)))
                except BaseException as error:
                    error.add_note(f"case {number}: {names} = {row!r}")
                    raise

        signature = inspect.signature(test)
        kept = [parameter for name, parameter in signature.parameters.items() if name not in keys]
        of_all.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return of_all

    return decorate
