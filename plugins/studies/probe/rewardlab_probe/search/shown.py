"""What a judge is shown of a row and of the reward, bounded in characters."""

import json

from rewardlab.plan import Plan

from rewardlab_probe.attempts.degenerate import ProbeRow
from rewardlab_probe.search.reward_source import reward_source

MAX_SHOWN, MAX_FIELDS, MAX_SOURCE = 2_000, 1_500, 8_000
"""Characters of a text, of a row's fields, of a reward's source."""


def shown_reward(plan: Plan, with_source: bool) -> str:
    """Return the reward: its total, its components with settings and summary, and what of their code is Python."""
    assert plan.recipe.reward is not None
    assert plan.expression is not None
    lines, sources = [f"total: {plan.recipe.reward.total}"], []
    for name in plan.expression.names:
        part = plan.components[name]
        options = f" with {json.dumps(part.use.options, default=str)}" if part.use.options else ""
        lines.append(f"- {name}: {part.use.use}{cut(options, MAX_FIELDS)} ({part.spec.summary})")
        source = reward_source(getattr(part.spec, "function", None)) if with_source else ""
        sources += [f"SOURCE OF {name}\n{cut(source, MAX_SOURCE)}"] if source else []
    return "\n\n".join(["\n".join(lines), *sources])


def shown_row(probe: ProbeRow) -> str:
    """Return a row: its prompt, its other fields and its honest response."""
    fields = {name: value for name, value in probe.row.sample.fields.items() if name not in probe.row.columns}
    parts = {
        "PROMPT": cut(probe.material.prompt, MAX_SHOWN),
        "FIELDS": cut(json.dumps(fields, ensure_ascii=False, default=str), MAX_FIELDS) if fields else "",
        "HONEST RESPONSE": cut(probe.row.honest, MAX_SHOWN),
    }
    return "\n".join(f"{name}\n{text}" for name, text in parts.items() if text)


def cut(text: str, most: int) -> str:
    """Return a text, of a long one its beginning and its end."""
    if len(text) <= most:
        return text
    return f"{text[: most * 2 // 3]} [... {len(text):,} characters in all ...] {text[-most // 3 :]}"
