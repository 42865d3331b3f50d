"""A total as a sum of terms, read off its expression.

A name that is only added, with a number before it, is a weight times that name. In a product whose other factors hold
names, too, a bare name is a gate: `(a + b) * f * g` has the gates f and g around the core a + b, and `f * g` has
both around 1. Names inside min, max, clip or a denominator, and products of two sums, are mixed: only counterfactuals
tell what each of them did.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rewardlab.recipe import expression_tree as tree
from rewardlab.recipe.expression_tree import Node


@dataclass(frozen=True, slots=True)
class GatedTerm:
    """A term `weight` * the gates * `core`. gates: name -> how often it multiplies."""

    weight: float
    gates: Mapping[str, int]
    core: "Terms"


@dataclass(frozen=True, slots=True)
class MixedTerm:
    """A term `weight` * a part of the expression that no sum can separate."""

    weight: float
    node: Node


@dataclass(frozen=True, slots=True)
class Terms:
    """A sum: `constant` + all weight * name + all gated terms + all mixed terms."""

    constant: float = 0.0
    weights: Mapping[str, float] = field(default_factory=dict)
    gated: tuple[GatedTerm, ...] = ()
    mixed: tuple[MixedTerm, ...] = ()


def terms_of(node: Node) -> Terms:
    """Return the sum that equals `node`, but for rounding."""
    if not node.names:
        return Terms(constant=float(node.run({})))
    if node.kind == "name":
        return Terms(weights={node.text: 1.0})
    if node.kind == "negative":
        return _sum((-1.0, terms_of(part)) for _, part in node.parts)
    if node.kind == "sum":
        return _sum((-1.0 if sign == "-" else 1.0, terms_of(part)) for sign, part in node.parts)
    if node.kind == "product":
        return _product(node)
    return Terms(mixed=(MixedTerm(1.0, node),))


def mixed_parts(node: Node) -> list[str]:
    """Return the parts of a total that are no names times numbers, as text; none of a weighted sum."""
    terms = terms_of(node)
    return [*(" * ".join(gated.gates) for gated in terms.gated), *(mixed.node.text for mixed in terms.mixed)]


def _sum(weighted: Iterator[tuple[float, Terms]]) -> Terms:
    constants: list[float] = []
    weights: dict[str, float] = {}
    gated: list[GatedTerm] = []
    mixed: list[MixedTerm] = []
    for by, terms in weighted:
        constants.append(by * terms.constant)
        for name, weight in terms.weights.items():
            weights[name] = weights.get(name, 0.0) + by * weight
        gated += [GatedTerm(by * term.weight, term.gates, term.core) for term in terms.gated]
        mixed += [MixedTerm(by * term.weight, term.node) for term in terms.mixed]
    return Terms(math.fsum(constants), weights, tuple(gated), tuple(mixed))


def _product(node: Node) -> Terms:
    factors = _Factors()
    factors.add("*", node)
    if not math.isfinite(factors.number):  # numbers too large before a small value: as it stands, it can be computed
        return Terms(mixed=(MixedTerm(1.0, node),))
    core = factors.core()
    if not factors.gates:
        return _sum(iter([(factors.number, core)]))
    if not factors.cores and factors.gates.total() == 1:
        [name] = factors.gates
        return Terms(weights={name: factors.number})
    return Terms(gated=(GatedTerm(factors.number, dict(factors.gates), core),))


class _Factors:
    """The factors of a product: one number, bare names, and all else with the sign before it."""

    def __init__(self) -> None:
        self.number = 1.0
        self.gates: Counter[str] = Counter()
        self.cores: list[tuple[str, Node]] = []

    def add(self, sign: str, node: Node) -> None:
        """Add a factor; a product that multiplies is taken apart."""
        if not node.names:
            value = node.run({})
            self.number = self.number * value if sign == "*" else self.number / value
        elif sign == "*" and node.kind == "name":
            self.gates[node.text] += 1
        elif sign == "*" and node.kind == "negative":
            self.number = -self.number
            self.add("*", node.parts[0][1])
        elif sign == "*" and node.kind == "product":
            for inner, part in node.parts:
                self.add(inner, part)
        else:
            self.cores.append((sign, node))

    def core(self) -> Terms:
        """Return the core that the gates are around."""
        if not self.cores:
            return Terms(constant=1.0)
        if len(self.cores) == 1 and self.cores[0][0] == "*":
            return terms_of(self.cores[0][1])
        text = " ".join(f"{sign} ({node.text})" for sign, node in self.cores)
        return Terms(mixed=(MixedTerm(1.0, tree.chain(f"1 {text}", tree.number("1", 1.0), self.cores)),))
