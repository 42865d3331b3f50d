r"""Compare lists, sets, tuples and intervals by their members.

`1, 2` is a list, in any order, with its repeats; `\{1, 2\}` is a set, in which repeats say nothing; the members of
`(1, 2, 3)` are in order, as are those of `(1, 2)`, which may be a pair or an interval. A set is neither a tuple nor an
interval. A list, which has no brackets, may say the members of a set, or those of a tuple in its order.
"""

import re
from collections.abc import Callable, Sequence

import sympy
from latex2sympy2_extended.sets import FiniteSet

Equal = Callable[[sympy.Basic, sympy.Basic], bool]

_NAME = re.compile(r"\s*[^={}\\]*(?:\\[A-Za-z]+\s*)?[^={}\\]*(?:=|\\in(?![A-Za-z]))\s*")
_SIZE = re.compile(r"\\(?:left|right|[Bb]igg?[lr]?)(?![A-Za-z])\s*")
_BRACE = re.compile(r"\\?[{}]")


class Listed(FiniteSet):
    """Members that stand without brackets around them."""


def marked(formula: sympy.Basic, latex: str) -> sympy.Basic:
    r"""Return a formula whose list without brackets, `1, 2` or `n = 1, 2`, is Listed; math-verify reads it as a set."""
    if isinstance(formula, FiniteSet):
        return formula if _is_braced(latex) else _listed(formula)
    if isinstance(formula, sympy.Eq) and isinstance(formula.rhs, FiniteSet):
        named = _NAME.match(latex)
        if not _is_braced(latex[named.end() :] if named else latex):
            return sympy.Eq(formula.lhs, _listed(formula.rhs), evaluate=False)
    return formula


def members_equal(gold: sympy.Basic, answer: sympy.Basic, equal: Equal) -> bool | None:
    """Return whether two formulas with members are equal; None if that is not decided by members.

    Args:
        equal: whether a member of the gold answer and one of the answer are.
    """
    if isinstance(gold, Listed) and isinstance(answer, Listed):
        if _gives_names(gold) == _gives_names(answer):
            return _same_in_any_order(_members(gold), _members(answer), equal)
    elif isinstance(gold, sympy.FiniteSet) and isinstance(answer, sympy.FiniteSet):
        return _same_sets(gold.args, answer.args, equal)
    if isinstance(gold, sympy.Interval) and isinstance(answer, sympy.Interval):
        return (
            (gold.left_open, gold.right_open) == (answer.left_open, answer.right_open)
            and equal(gold.start, answer.start)
            and equal(gold.end, answer.end)
        )
    members, others = _in_order(gold), _in_order(answer)
    if members is not None and others is not None:
        return len(members) == len(others) and all(map(equal, members, others))
    return _single_equal(gold, answer, equal)


def _single_equal(gold: sympy.Basic, answer: sympy.Basic, equal: Equal) -> bool | None:
    r"""Compare a list or set with what is neither: \{5\} is 5, and 5, 5 is not."""
    kinds = (sympy.Tuple, sympy.Interval, sympy.Expr)
    if isinstance(gold, sympy.FiniteSet) and isinstance(answer, kinds):
        return len(_members(gold)) == 1 and _is_no_set(gold.args[0]) and equal(gold.args[0], answer)
    if isinstance(answer, sympy.FiniteSet) and isinstance(gold, kinds):
        return len(_members(answer)) == 1 and _is_no_set(answer.args[0]) and equal(gold, answer.args[0])
    return None


def _is_no_set(member: sympy.Basic) -> bool:
    return not isinstance(member, sympy.FiniteSet)


def _members(formula: sympy.FiniteSet | sympy.Tuple) -> Sequence[sympy.Basic]:
    """Return the members of a list as written, with repeats, and those of a set without them."""
    members: Sequence[sympy.Basic] = formula._unsorted_args if isinstance(formula, Listed) else formula.args
    return members


def _in_order(formula: sympy.Basic) -> Sequence[sympy.Basic] | None:
    """Return the members of a list, a tuple, or an open interval, which may be a pair; None for anything else."""
    if isinstance(formula, sympy.Interval) and formula.left_open and formula.right_open:
        return formula.start, formula.end
    return _members(formula) if isinstance(formula, sympy.Tuple | Listed) else None


def _gives_names(formula: Listed) -> bool:
    """Return whether a list gives values of several names, `a = 1, b = 2`: beside one without, order says which."""
    return len({member.lhs for member in _members(formula) if isinstance(member, sympy.Eq)}) > 1


def _same_in_any_order(gold: Sequence[sympy.Basic], answer: Sequence[sympy.Basic], equal: Equal) -> bool:
    if len(gold) != len(answer):
        return False
    rest, others = list(answer), []
    for member in gold:  # the same formulas first: long lists are compared in no time
        if member in rest:
            rest.remove(member)
        else:
            others.append(member)
    for member in others:
        place = next((place for place, other in enumerate(rest) if equal(member, other)), None)
        if place is None:
            return False
        del rest[place]
    return True


def _same_sets(gold: Sequence[sympy.Basic], answer: Sequence[sympy.Basic], equal_members: Equal) -> bool:
    def equal(member: sympy.Basic, other: sympy.Basic) -> bool:
        return _is_no_set(member) == _is_no_set(other) and equal_members(member, other)

    return all(any(equal(member, other) for other in answer) for member in gold) and all(
        any(equal(member, other) for member in gold) for other in answer
    )


def _listed(finite_set: FiniteSet) -> Listed:
    r"""Return a list of the members; those of `\pm 1` in it are members of their own."""
    members: list[sympy.Basic] = []
    for member in getattr(finite_set, "_unsorted_args", finite_set.args):
        members.extend(member.args if isinstance(member, FiniteSet) else [member])
    return Listed(*members)


def _is_braced(latex: str) -> bool:
    """Return whether braces that are opened at the start are closed at the end."""
    bare = _SIZE.sub("", latex).strip()
    depth = 0
    for brace in _BRACE.finditer(bare):
        if depth == 0 and brace.start() > 0:
            return False
        depth += 1 if brace.group().endswith("{") else -1
        if depth == 0:
            return brace.end() == len(bare)
    return False
