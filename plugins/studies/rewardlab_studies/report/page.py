"""One self-contained page about a run: results before and after, curves of every reward, completions to read.

The page is made from the run directory alone, so that it can be made again, and of a run that is still going.
"""

import html
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rewardlab.data import read_lines
from rewardlab.errors import UserError
from rewardlab.files import read_json, write_text
from rewardlab.recipe import RESOLVED
from rewardlab.training import Results, alarm_sentences

from rewardlab_studies.ledger.parts import ledger_parts
from rewardlab_studies.ledger.scan import current_steps
from rewardlab_studies.report.causes import (
    GAVE,
    MovementSection,
    format_contribution,
    format_rest,
    format_shaped,
    movement_section,
)
from rewardlab_studies.report.discarded import DiscardedCounts
from rewardlab_studies.report.judges import JudgeConsistency, usage_table
from rewardlab_studies.report.last_groups import LastGroups
from rewardlab_studies.report.line_parts import passing_lines
from rewardlab_studies.report.remarks import RemarkCounts

GROUPS_SHOWN = 6
WIDTH, HEIGHT = 300, 110
STYLE = """
body{font:15px/1.45 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;margin:.5rem 0}td,th{padding:.2rem .7rem;text-align:right;border-bottom:1px solid #ddd}
td:first-child,th:first-child{text-align:left}figure{display:inline-block;margin:.6rem}figcaption{font-size:13px}
svg{background:#f7f7f7}polyline{fill:none;stroke:#0a6;stroke-width:1.5}
pre{white-space:pre-wrap;background:#f7f7f7;padding:.5rem;margin:.2rem 0}
"""


def write_report(run: Path, target: Path) -> Sequence[str]:
    """Write the page of the run in folder `run` to the file `target`.

    Return what is odd about the components of its reward, in words. A UserError if `run` is not the folder of a run.
    """
    try:
        manifest = read_json(run / "manifest.json")
        recipe = (run / RESOLVED).read_text(encoding="utf-8")
        if not isinstance(manifest, dict):
            raise ValueError("its manifest.json holds no object")
    except (OSError, ValueError) as error:
        why = f"it has no {Path(error.filename).name}" if isinstance(error, FileNotFoundError) else error
        raise UserError(
            f"{run} is not the folder of a run: {why if run.is_dir() else 'there is no such folder'}"
        ) from error
    ledger = ledger_parts(run)
    consistency, shown = JudgeConsistency(), LastGroups(GROUPS_SHOWN)
    remarks = RemarkCounts(manifest.get("remarks", {}))
    current = current_steps(ledger)
    discarded = DiscardedCounts(current)
    # the section takes all lines of the ledger, and the other parts take each on its way there
    moved = movement_section(passing_lines(ledger, [consistency, remarks, shown, discarded]), current)
    parts = [
        f"<h1>{_safe(run.name)}</h1>",
        *(f"<p><strong>{_safe(sentence)}</strong></p>" for sentence in alarm_sentences(run)),
        *_evaluations(run / "evaluation"),
        *_curves(run / "logs"),
        *(f"<p>{_safe(sentence)}</p>" for sentence in discarded.sentences()),
        *_judges(list(usage_table(run / "usage.jsonl")), list(consistency.table())),
        *_causes(moved),
        *_remarks(list(remarks.table())),
        *_completions(shown.groups()),
        f"<h2>Recipe</h2><pre>{_safe(recipe)}</pre>",
        f"<h2>Made with</h2><pre>{_safe(json.dumps(manifest, indent=1, ensure_ascii=False))}</pre>",
    ]
    head = f'<meta charset="utf-8"><title>{_safe(run.name)}</title><style>{STYLE}</style>'
    page = f"<!doctype html><html><head>{head}</head><body>{''.join(parts)}</body></html>\n"
    write_text(target, page)
    return moved.findings if moved is not None else ()


def _evaluations(folder: Path) -> Iterator[str]:
    found = {path.stem: Results.load(path) for path in sorted(folder.glob("*.json"))}
    for name, results in found.items():
        stage, _, when = name.rpartition("-")
        if when == "before" and f"{stage}-after" in found:
            continue
        earlier = found.get(f"{stage}-before") if when == "after" else None
        title = f"{stage}: before → after" if earlier else name
        yield f"<h2>Held-out prompts, {_safe(title)}</h2>{_table(results, earlier)}"


def _table(results: Results, earlier: Results | None) -> str:
    then = {part.name: part.means for part in earlier.slices} if earlier else {}
    columns = list(results.slices[0].means)
    rows = [["", "prompts", *columns]]
    for part in results.slices:
        cells = [_change(then.get(part.name, {}).get(column), part.means[column]) for column in columns]
        rows.append([part.name, str(part.prompts), *cells])
    return _html_table(rows) + "".join(f"<p>{_safe(remark)}</p>" for remark in results.slices[0].remarks())


def _html_table(rows: Iterable[Sequence[str]]) -> str:
    cells = ("".join(f"<td>{_safe(cell)}</td>" for cell in row) for row in rows)
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


def _judges(*tables: Sequence[Sequence[str]]) -> Iterator[str]:
    if any(tables):
        yield f"<h2>Judges</h2>{''.join(map(_html_table, filter(None, tables)))}"


def _causes(moved: MovementSection | None) -> Iterator[str]:
    if moved is not None:
        about = "".join(f"<p>{_safe(text)}</p>" for text in moved.about)
        beside_it = f"<p>{_safe(moved.rest)}.</p>" if moved.rest else ""
        yield f"<h2>What moved the reward</h2>{about}{_html_table(moved.table)}{beside_it}"
        if moved.findings:
            yield f"<ul>{''.join(f'<li>{_safe(finding)}</li>' for finding in moved.findings)}</ul>"


def _remarks(table: Sequence[Sequence[str]]) -> Iterator[str]:
    if table:
        yield f"<h2>Remarks of rewards</h2>{_html_table(table)}"


def _change(then: float | None, now: float | None) -> str:
    shown = "–" if now is None else f"{now:.2f}"
    return shown if then is None else f"{then:.2f} → {shown}"


def _curves(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("*.jsonl")):
        by_step: dict[int, Mapping[str, Any]] = {}
        for _, row in read_lines(path):
            if isinstance(row, Mapping) and "train_runtime" not in row:
                by_step[row["step"]] = row  # a later attempt repeats steps that an earlier one lost
        names = sorted({key for row in by_step.values() for key in row if key == "loss" or key.startswith("reward/")})
        figures = []
        for name in names:
            points = [(step, row[name]) for step, row in sorted(by_step.items()) if row.get(name) is not None]
            if len(points) > 1:
                figures.append(_curve(name, points))
        if figures:
            yield f"<h2>Training, stage {_safe(path.stem)}</h2>{''.join(figures)}"


def _curve(name: str, points: Sequence[tuple[int, float]]) -> str:
    low, high = min(v for _, v in points), max(v for _, v in points)
    first, last = points[0][0], points[-1][0]
    place = " ".join(
        f"{(step - first) / (last - first) * WIDTH:.1f},{HEIGHT - (v - low) / ((high - low) or 1) * HEIGHT:.1f}"
        for step, v in points
    )
    svg = f'<svg viewBox="-4 -4 {WIDTH + 8} {HEIGHT + 8}" width="{WIDTH}"><polyline points="{place}"/></svg>'
    caption = f"{_safe(name)}: {points[0][1]:.3g} → {points[-1][1]:.3g} (from {low:.3g} to {high:.3g})"
    return f"<figure>{svg}<figcaption>{caption}</figcaption></figure>"


def _completions(groups: Sequence[Sequence[Mapping[str, Any]]]) -> Iterator[str]:
    """Yield the best and the worst completion of each group, with the value that every component gave it."""
    if groups:
        caused = any(map(format_shaped, groups[0]))
        yield f"<h2>Completions of the last evaluation</h2>{f'<p>{_safe(GAVE)}</p>' if caused else ''}"
    for rows in groups:
        best, worst = max(rows, key=_total), min(rows, key=_total)
        shown = [best] if best is worst else [best, worst]
        yield f"<h3>Sample {_safe(rows[0]['id'])}</h3>{''.join(map(_completion, shown))}"


def _total(row: Mapping[str, Any]) -> float:
    return float("-inf") if row["total"] is None else row["total"]


def _completion(row: Mapping[str, Any]) -> str:
    components = row["components"].items()
    scores = ", ".join(f"{name} {_format_score(score)}{format_contribution(score)}" for name, score in components)
    total = "–" if row["total"] is None else f"{row['total']:.2f}"
    line = f"total {total}{format_shaped(row)}: {_safe(scores)}{format_rest(row)}"
    return f"<pre>{_safe(row['completion'])}</pre><p>{line}</p>"


def _format_score(score: Mapping[str, Any]) -> str:
    return score["error"] or ("–" if score["value"] is None else f"{score['value']:.2f}")


def _safe(text: Any) -> str:
    return html.escape(str(text))
