"""Win rates as text, Markdown and LaTeX, and as JSON values."""

from dataclasses import asdict
from typing import Any

from rewardlab_measure.tables.comparisons import LEVEL, format_p
from rewardlab_measure.tables.layout import OVERALL, TablePlace
from rewardlab_measure.tables.pages import UNKNOWN, Page, as_latex, as_markdown, as_text
from rewardlab_measure.win_rates.job import MeasuredWinRate, WinRatesResult

OF_PAIR = ("ties", "p", "corrected", "too_few")
"""what is said of a pair of models, over all languages"""
FORMATS = {".txt": as_text, ".md": as_markdown, ".tex": as_latex}


def format_win_rates(result: WinRatesResult, ending: str = ".txt") -> str:
    """Return the win rates as a matrix, row against column, and a sentence for each pair."""
    mark = {".tex": "% "}.get(ending, "")
    head = [f"{mark}{result.clustering}"] if result.clustering else []
    parts = head + [FORMATS[ending](page) for page in (_matrix(result), *_by_language(result))]
    return "\n\n".join([*parts, "\n".join(f"{mark}{line}" for line in sentences(result))]) + "\n"


def sentences(result: WinRatesResult) -> list[str]:
    """Return a sentence for each pair of models, and how it was measured."""
    unit = "prompt" if result.clustering is None else result.clustering.field
    how = (
        f"Intervals: 95%, Wilson's, of {result.prompts:,} prompts; what is independent is a {unit}. p-values: of even "
        "odds, two-sided, below 0.05 where the interval leaves out 50%."
    )
    if len(result.rates) > 1:
        how += f" Corrected by Holm's method for {len(result.rates)} pairs; preferred: a corrected p below 0.05."
    return [*(_sentence(rate, len(result.rates)) for rate in result.rates), how]


def _sentence(rate: MeasuredWinRate, pairs: int) -> str:
    share = rate.places[OVERALL]
    message = (
        f"{share.mean * 100:.1f}% {_between(rate)} of comparisons, {rate.ties * 100:.1f}% ties, {format_p(rate.p)}"
    )
    message += f" ({format_p(rate.corrected)} corrected)" if pairs > 1 else ""
    verdict = "preferred to" if share.mean > 0.5 else "less preferred than"
    if rate.corrected >= LEVEL:
        verdict = "not distinguishable from"
        message += ", and so few prompts could not have shown it" if rate.too_few else ""
    return f"{rate.model} is {verdict} {rate.other}: it wins {message}"


def _matrix(result: WinRatesResult) -> Page:
    if result.reference is not None:
        return _against_reference(result, result.reference)
    rates = {(rate.model, rate.other): rate.places[OVERALL].mean for rate in result.rates}
    rates |= {(other, model): 1 - value for (model, other), value in rates.items()}
    names = list(result.models)
    rows = [[name, *(f"{rates[name, other] * 100:.1f}" if name != other else "-" for other in names)] for name in names]
    return Page(
        title="Win rate of the row against the column, in percent",
        upper=[""] * (len(names) + 1),
        lower=["", *names],
        rows=rows,
    )


def _against_reference(result: WinRatesResult, reference: str) -> Page:
    """Return each model's win rate against the reference, best first."""
    ranked = sorted(result.rates, key=lambda rate: -rate.places[OVERALL].mean)
    return Page(
        title=f"Win rate against {reference}, in percent",
        upper=[""] * 4,
        lower=["", "wins", "95%", "ties"],
        rows=[
            [rate.model, f"{rate.places[OVERALL].mean * 100:.1f}", _between(rate), f"{rate.ties * 100:.1f}"]
            for rate in ranked
        ],
    )


def _between(rate: MeasuredWinRate, place: TablePlace = OVERALL) -> str:
    share = rate.places[place]
    if share.low is None or share.high is None:
        return UNKNOWN
    return f"[{share.low * 100:.1f}, {share.high * 100:.1f}]"


def _by_language(result: WinRatesResult) -> list[Page]:
    languages = [place for place in result.rates[0].places if place != OVERALL]
    if not languages:
        return []
    pairs = [f"{rate.model} against {rate.other}" for rate in result.rates]
    rows = [
        [str(place.language), *(cell for rate in result.rates for cell in _rate_and_interval(rate, place))]
        for place in languages
    ]
    return [
        Page(
            title="Win rates by language",
            upper=["", *(pair for pair in pairs for _ in range(2))],
            lower=["", *(("wins", "95%") * len(pairs))],
            rows=rows,
        )
    ]


def _rate_and_interval(rate: MeasuredWinRate, place: TablePlace) -> tuple[str, str]:
    return f"{rate.places[place].mean * 100:.1f}", _between(rate, place)


def win_rates_as_dict(result: WinRatesResult) -> dict[str, Any]:
    """Return the result as JSON values; rates are in [0, 1]."""
    return {
        "models": list(result.models),
        "reference": result.reference,
        "prompts": result.prompts,
        "win_rates": [
            {
                "model": rate.model,
                "against": rate.other,
                "language": place.language,
                "mean": average.mean,
                "low": average.low,
                "high": average.high,
                "prompts": average.prompts,
                "clusters": average.clusters,
                **({name: getattr(rate, name) for name in OF_PAIR} if place == OVERALL else {}),
            }
            for rate in result.rates
            for place, average in rate.places.items()
        ],
        "sentences": sentences(result),
        "clustering": None if result.clustering is None else asdict(result.clustering),
    }
