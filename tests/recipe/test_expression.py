"""The grammar of `total`, its values and its ranges."""

import math
import re

import pytest
from helpers.each_case import each_case
from hypothesis import assume, given
from hypothesis import strategies as st
from rewardlab.recipe.expression import check_name, parse

# --- A tree and its reference evaluator, written without a look at the parser

NAMES = ("a", "b", "accuracy", "_x1", "minimum")
finite = st.floats(-1e3, 1e3, allow_nan=False).map(lambda x: round(x, 3) + 0.0)


def branches(children):
    return st.one_of(
        st.tuples(st.sampled_from("+-*/"), children, children),
        st.tuples(st.just("neg"), children),
        st.tuples(st.sampled_from(["min", "max"]), st.lists(children, min_size=2, max_size=4)),
        st.tuples(st.just("clip"), children, finite, finite).map(lambda t: ("clip", t[1], min(t[2:]), max(t[2:]))),
    )


trees = st.recursive(st.sampled_from(NAMES) | finite.map(abs), branches, max_leaves=12)


def reference(tree, values):
    if isinstance(tree, str):
        return values[tree]
    if isinstance(tree, float):
        return tree
    operation, *arguments = tree
    if operation in ("min", "max"):
        return {"min": min, "max": max}[operation](reference(child, values) for child in arguments[0])
    x, *rest = (reference(child, values) for child in arguments)
    if operation == "neg":
        return -x
    if operation == "clip":
        return max(rest[0], min(rest[1], x))
    if operation == "/":
        return x / rest[0]
    return {"+": x + rest[0], "-": x - rest[0], "*": x * rest[0]}[operation]


PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3}


@st.composite
def texts(draw, tree, binding=0):
    """The tree as text: with the parentheses it needs, some it does not need, and any spaces."""
    space = draw(st.sampled_from(["", "", " ", "  ", "\n", "\t"]))
    if isinstance(tree, str):
        text, own = tree, 4
    elif isinstance(tree, float):
        text, own = repr(abs(tree)) if tree >= 0 else f"-{abs(tree)!r}", 4 if tree >= 0 else 3
    elif tree[0] in ("min", "max", "clip"):
        children = tree[1] if tree[0] != "clip" else tree[1:]
        inside = f"{space},{space}".join(draw(texts(child)) for child in children)
        text, own = f"{tree[0]}{space}({inside}{space})", 4
    elif tree[0] == "neg":
        text, own = f"-{space}{draw(texts(tree[1], 3))}", 3
    else:
        own = PRECEDENCE[tree[0]]
        text = f"{draw(texts(tree[1], own))}{space}{tree[0]}{space}{draw(texts(tree[2], own + 1))}"
    if own < binding or draw(st.integers(0, 5)) == 0:
        text = f"({space}{text}{space})"
    return f"{space}{text}"


def outcome(function, *arguments):
    try:
        result = function(*arguments)
    except ArithmeticError:
        return "error"
    return result if math.isfinite(result) else "error"


@given(st.data(), trees, st.lists(finite, min_size=len(NAMES), max_size=len(NAMES)))
def test_it_computes_what_the_reference_computes(data, tree, numbers):
    values = dict(zip(NAMES, numbers, strict=True))
    expression = parse(data.draw(texts(tree)))
    assert outcome(expression.evaluate, values) == outcome(reference, tree, values)


@each_case(
    "text, value",
    [
        ("1 - 2 - 3", -4),
        ("8 / 4 / 2", 1),
        ("2 + 3 * 4", 14),
        ("(2 + 3) * 4", 20),
        ("8 / 2 * 4", 16),
        ("-2 * 3", -6),
        ("2 * -3", -6),
        ("1 - -1", 2),
        ("--1", 1),
        ("-(1 + 2)", -3),
        ("min(3, 1, 2)", 1),
        ("max(3, 1 + 4, 2)", 5),
        ("clip(5, 0, 1)", 1),
        ("clip(-5, 0, 1)", 0),
        ("clip(0.5, 0, 1)", 0.5),
        (".5 + 1. + 1e-1 + 2E+1 + 00.5", 22.1),
        ("1\n+ 2\n", 3),
    ],
)
def test_arithmetic(text, value):
    assert parse(text).evaluate({}) == value


def test_names_are_listed_once_in_order_of_appearance():
    assert parse("b * clip(a, 0, 1) + min(b, c_1) / 2").names == ("b", "a", "c_1")


def test_the_value_is_a_float_and_other_values_are_ignored():
    value = parse("a + b").evaluate({"a": 1, "b": 1, "c": math.nan})
    assert (value, type(value)) == (2.0, float)


# --- What is refused

FORBIDDEN = [
    *(
        "a.b",
        "a[0]",
        "a()",
        "foo(a)",
        "__import__('os')",
        "a.__class__",
        "(a).b",
        "min.x(a, b)",
        "(min)(a, b)",
    ),
    *("a ** b", "a // b", "a % b", "a @ b", "a | b", "a & b", "a ^ b", "a << 1", "~a", "+a", "not a"),
    *("a < b", "a == b", "a != b", "a and b", "a or b", "a if b else c", "a in b", "a is b", "1 < a < 2"),
    *("lambda: a", "(a := 1)", "a := 1", "a = 1", "[a]", "{a}", "{}", "[a for a in b]", "(a, b)", "()", "*a"),
    *("'a'", '"a"', "f'a'", "b'a'", "True", "False", "None", "if", "a; b", "a # why", "a \\\n + b", "`a`"),
    *(
        "1_000",
        "0x10",
        "0b1",
        "0o7",
        "1j",
        "1e",
        "1e+",
        "2a",
        "1.2.3",
        "1e999",
        "9" * 400,
        "inf +",
        "..5",
        "1 2",
    ),
    *("min(a)", "min()", "max(a)", "min(a, b,)", "min(*a, b)", "min(a, key=b)", "min", "min + 1", "a + max"),
    *(
        "clip(a)",
        "clip(a, 0)",
        "clip(a, 0, 1, 2)",
        "clip(x=a, low=0, high=1)",
        "clip(a, 1, 0)",
        "clip(a, 0, -1)",
    ),
    *("", " ", "\n", "a b", "a +", "* a", "(a", "a)", "((a)", "a, b", ",", "a +* b", "(", ")", "-", "a -"),
    *(
        "а + b",
        "é",
        "１",
        "a × b",
        "a − b",
        "a\u00a0+ b",
        "a\u200b",
        "a\x00",
        "\ufeffa",
        "ﬁ",
        "a\x0c+ b",
        "𝐚",
    ),
]


@each_case("text", FORBIDDEN)
def test_everything_else_is_refused_with_the_column_and_what_is_allowed(text):
    with pytest.raises(ValueError, match=r"column \d+: .*allowed are names, numbers, \+ - \* /, min\("):
        parse(text)


@each_case(
    "text, message",
    [
        ("a ** 2", r"column 3: .*'\*\*'"),
        ("a + foo(b)", "column 5: no function 'foo'"),
        ("a + mim(b, c)", "column 5: .*did you mean 'min'?"),
        ("a +\n  b $ c", r"line 2, column 5: .*'\$'"),
        ("(a + b", "column 7: a ) for the ( of column 1 is expected, it ends here"),
        ("а", r"'\\u0430'"),  # Cyrillic: shown so that it can be told from the Latin letter
        ("1_000 * a", "column 1: '1_000' is not a number"),
        ("clip(a, 2 - 1, 0)", "column 1: .*low can be above high"),
        ("clip(a, 0, 1 / 0)", "column 1: the denominator `0` can be 0"),
        ("a + if", "column 5: if is a Python keyword"),
    ],
)
def test_the_message_says_what_is_wrong(text, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(").replace(")", r"\)")):
        parse(text)


@each_case(
    "text",
    [
        "(" * 100_000,
        "-" * 5_000 + "a",
        "min(a," * 3_000,
        "(" * 3_000 + "a" + ")" * 3_000,
        "a" * 100_000,
        "((" * 60,
    ],
)
def test_depth_and_length_are_bounded(text):
    with pytest.raises(ValueError, match=r"nested more than|longer than"):
        parse(text)


def test_a_long_flat_sum_is_no_deep_one():
    assert parse("+".join(["a"] * 5_000)).range({"a": (0, 1)}) == (0, 5_000)


TOKENS = [
    "a",
    "min",
    "clip",
    "1",
    "1e5",
    ".",
    "(",
    ")",
    ",",
    "+",
    "-",
    "*",
    "/",
    " ",
    "\n",
    "=",
    "if",
    "é",
    "_",
]


@given(st.text() | st.lists(st.sampled_from(TOKENS), max_size=12).map("".join))
def test_parse_raises_nothing_but_value_errors(text):
    try:
        expression = parse(text)
    except ValueError:
        return
    assert all(check_name(name) is None for name in expression.names)


# --- Failing


@each_case(
    "text, error, message",
    [
        ("a / (b - 1)", ZeroDivisionError, "the denominator `b - 1` is 0"),
        ("a * 1e308 * 10", OverflowError, r"`a \* 1e308 \* 10` is inf"),
        ("min(1, a * 1e308 * 10 - a * 1e308 * 10)", OverflowError, "is inf"),
        ("1 / (a * 1e308 * 10)", OverflowError, "is inf"),
        ("clip(a, b, 0.5)", ArithmeticError, "low is 1, above high, 0.5"),
    ],
)
def test_no_value_is_made_up(text, error, message):
    with pytest.raises(error, match=message):
        parse(text).evaluate({"a": 1.0, "b": 1.0})


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite_are_named(value):
    for text in ("b + a", "min(b, a)", "clip(a, 0, b)", "b / a"):
        with pytest.raises(FloatingPointError, match=f"a is {value}"):
            parse(text).evaluate({"a": value, "b": 1.0})


# --- Ranges


@st.composite
def intervals(draw):
    low, high = sorted([draw(finite), draw(finite)])
    return low, high


@given(st.data(), trees, st.lists(intervals(), min_size=len(NAMES), max_size=len(NAMES)))
def test_the_range_contains_every_value(data, tree, drawn):
    ranges = dict(zip(NAMES, drawn, strict=True))
    expression = parse(data.draw(texts(tree)))
    try:
        low, high = expression.range(ranges)
    except ValueError:
        assume(False)
    for _ in range(8):
        values = {name: data.draw(st.floats(*ranges[name]) | st.sampled_from(ranges[name])) for name in ranges}
        assert low <= expression.evaluate(values) <= high


@each_case(
    "text, interval",
    [
        ("accuracy + format", (0, 2)),
        ("accuracy - format", (-1, 1)),
        ("-accuracy", (-1, 0)),
        ("0.5 * accuracy + 2 * format", (0, 2.5)),
        ("signed * signed", (-1, 1)),
        ("accuracy / (format + 1)", (0, 1)),
        ("signed / (format + 1)", (-1, 1)),
        ("min(signed, accuracy)", (-1, 1)),
        ("max(signed, accuracy)", (0, 1)),
        ("clip(4 * signed, -2, 0.5)", (-2, 0.5)),
        ("clip(signed, accuracy - 1, 1)", (-1, 1)),
        ("0.1 + 0.2", (0.1 + 0.2, 0.1 + 0.2)),
    ],
)
def test_ranges_are_tight_where_each_name_occurs_once(text, interval):
    ranges = {"accuracy": (0, 1), "format": (0, 1), "signed": (-1, 1)}
    assert parse(text).range(ranges) == interval


@each_case(
    "text, message",
    [
        ("a / (x - y)", "the denominator `x - y` can be 0 (its range is [-1, 1])"),
        ("a / x", "the denominator `x` can be 0 (its range is [0, 1])"),
        ("a / -x", "the denominator `-x` can be 0 (its range is [-1, 0])"),
        ("a / (x * 1e-200 * 1e-200 + 0)", "can be 0"),
        ("1 / (x + 1e-320)", "`1 / (x + 1e-320)` can be too large for a number"),
        ("min(a * 1e308 * 10, 1)", "`a * 1e308 * 10` can be too large for a number"),
        ("clip(a, x, 0.5)", "low can be above high (x up to 1, 0.5 down to 0.5)"),
        ("clip(a, 0.5, x)", "low can be above high (0.5 up to 0.5, x down to 0)"),
    ],
)
def test_ranges_refuse_what_could_fail(text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        parse(text).range({"a": (0, 1), "x": (0, 1), "y": (0, 1)})


@each_case("interval", [(1, 0), (0, math.inf), (-math.inf, 0), (math.nan, 1), (0, math.nan)])
def test_a_range_that_is_no_interval_is_refused(interval):
    with pytest.raises(ValueError, match=r"the range .* of a is not a closed finite interval"):
        parse("a").range({"a": interval})


# --- Names


@each_case("name", ["accuracy", "a", "_", "A1_b", "match", "min_length", "Clip"])
def test_good_names(name):
    assert check_name(name) is None
    assert parse(name).names == (name,)


@each_case("name", ["", "1a", "win-rate", "a b", "a.b", "é", "а", "min", "max", "clip", "if", "lambda", "True", "a\n"])
def test_names_that_no_expression_could_hold(name):
    assert check_name(name)


# --- The tree


def test_the_tree_tells_how_each_part_is_made():
    root = parse("a + 2 * -b - min(a, c) / d").tree
    assert (root.kind, [sign for sign, _ in root.parts]) == ("sum", ["+", "+", "-"])
    a, product, quotient = (part for _, part in root.parts)
    assert (a.kind, a.names, product.kind, product.names) == ("name", ("a",), "product", ("b",))
    assert [(sign, part.kind, part.text) for sign, part in product.parts] == [
        ("*", "number", "2"),
        ("*", "negative", "-b"),
    ]
    assert [(sign, part.kind) for sign, part in quotient.parts] == [("*", "call"), ("/", "name")]
    assert root.names == ("a", "b", "c", "d")
    assert quotient.parts[0][1].run({"a": 1.0, "c": -1.0}) == -1.0
