"""Strategy tgt-tgt at the judge's server: the thoughts that a question begins are still open when the model goes on."""

import asyncio
import importlib.util
from pathlib import Path

import pytest
from rewardlab import Completion, Context, Sample, find
from rewardlab.errors import UserError
from rewardlab.recipe import load
from rewardlab_rubric.strategies.language_file import packaged_texts
from rewardlab_training import check_recipe

SERVER = Path(__file__).parents[4] / "tests" / "judge_server.py"
BEGINNING = f"<think>\n{packaged_texts()['de'].thinking}"
REPLY = 'Ich zähle von drei aus weiter.</think>{"explanation": "Es stimmt.", "score": "true"}'
LLAMA3 = (
    "{{ '<|begin_of_text|>' }}{% for message in messages %}<|start_header_id|>{{ message['role'] }}<|end_header_id|>"
    "\n\n{{ message['content'] | trim }}<|eot_id|>{% endfor %}"
    "{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)
"""of the form of Llama 3's: each turn is closed"""
QWEN3 = (
    "{% for message in messages %}{% set content = message.content %}{% set thoughts = '' %}"
    "{% if '</think>' in content %}{% set thoughts = content.split('</think>')[0].split('<think>')[-1] %}"
    "{% set content = content.split('</think>')[-1] %}{% endif %}"
    "<|im_start|>{{ message.role }}\n"
    "{% if message.role == 'assistant' and loop.last %}<think>\n{{ thoughts.strip('\n') }}\n</think>\n\n{% endif %}"
    "{{ content.lstrip('\n') }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""of the form of Qwen3's: each turn is closed, and a last one of the assistant gets a block of thoughts before it"""


class ClosedEachTime:
    """A chat judge that has a connection for one question: nobody closes it at the end of a step."""

    def __init__(self, spec, options):
        self._spec, self._options = spec, options

    async def ask(self, ask):
        judge = self._spec.build(self._options, Context())
        try:
            return await judge.ask(ask)
        finally:
            await judge.aclose()

    def report_parsed(self, reply, ok):
        """Nobody counts here."""


@pytest.fixture
def served(request):
    """`served(ask)`: what a real server got while `ask(judge)` asked it; each reply ends German thoughts."""
    spec = importlib.util.spec_from_file_location("judge_server", SERVER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def run(use):
        bodies = []

        def answer(body):
            bodies.append(body)
            return REPLY if body["messages"][-1]["role"] == "assistant" else f"<think>{REPLY}"

        chat = find("judge", "openai/chat")
        with module.Serving(module.JudgeServer(answer=answer)) as server:
            made = use(ClosedEachTime(chat, chat.config(model="m", base_url=server.url, continues=True)))
        return bodies, made

    return run


def distilled(**options):
    row = Sample(
        id="pens",
        prompt=({"role": "user", "content": "3 + 4?"},),
        fields={"response": "7", "score": "true", "language": "de"},
    )
    spec = find("dataset", "rubric/distilled")
    config = spec.config(teacher="t", asks="binary", least_share=0, **options)
    return lambda judge: list(spec.build(config, Context(judges={"t": judge}, source=[row])))


def rewarded(**options):
    spec = find("reward", "rubric/binary")
    row = Sample(id="pens", prompt=({"role": "user", "content": "3 + 4?"},), fields={"language": "de"})

    def use(judge):
        reward = spec.build(spec.config(judge="t", **options), Context(judges={"t": judge}))
        return asyncio.run(reward.score([(row, Completion(text="7"))]))

    return use


def rendered(template, body):
    """The prompt that a server makes of a request with this chat template, by transformers' own rendering."""
    render = pytest.importorskip("transformers.utils.chat_template_utils").render_jinja_template
    how = {name: body.get(name, default) for name, default in (("add_generation_prompt", True),)}
    continues = body.get("continue_final_message", False)
    made = render([body["messages"]], chat_template=template, continue_final_message=continues, **how)
    while isinstance(made, list | tuple):
        made = made[0]
    return made


class TestTheRequest:
    @pytest.mark.parametrize("use", [rewarded(strategy="tgt-tgt"), distilled(strategy="tgt-tgt")])
    def test_goes_on_with_the_thoughts_it_begins(self, served, use):
        (body,), _ = served(use)
        assert body["messages"][-1] == {"role": "assistant", "content": BEGINNING}
        assert (body["continue_final_message"], body["add_generation_prompt"]) == (True, False)

    def test_of_a_data_step_is_the_rewards_own(self, served):
        for strategy in ("eng-eng", "tgt-eng", "tgt-tgt"):
            (asked,), _ = served(distilled(strategy=strategy))
            (judged,), _ = served(rewarded(strategy=strategy))
            assert _unkeyed(asked) == _unkeyed(judged)

    def test_by_another_strategy_of_a_row_goes_on_where_that_one_does(self, served):
        bodies, (row,) = served(distilled(also=["tgt-eng", "tgt-tgt"]))
        assert [body.get("continue_final_message", False) for body in bodies] == [False, False, True]
        assert (row.fields["judged_tgt-eng"], row.fields["judged_tgt-tgt"]) == ("true", "true")

    @pytest.mark.parametrize("template", [LLAMA3, QWEN3], ids=["llama", "qwen"])
    @pytest.mark.parametrize("how", [{"strategy": "tgt-tgt"}, {"also": ["tgt-tgt"]}])
    def test_leaves_the_turn_open_whatever_the_template_closes(self, served, template, how):
        bodies, _ = served(distilled(**how))
        assert rendered(template, bodies[-1]).endswith(BEGINNING)


def test_a_trained_judges_own_template_puts_nothing_before_the_thoughts(served):
    """Qwen3's template has an empty block of thoughts there, so that the recipes' judges are saved with another one."""
    from helpers.paths import RECIPES

    (body,), _ = served(rewarded(strategy="tgt-tgt"))
    assert "<think>\n\n</think>\n\n<think>" in rendered(QWEN3, body)
    for name in ("tgt_tgt", "translated"):
        template = load(RECIPES / "mr3_ablations" / f"{name}.yaml").tree["stages"][-1]["chat"]["template"]
        assert rendered(template, body).endswith(f"<|im_end|>\n<|im_start|>assistant\n{BEGINNING}")
        trained = [*body["messages"][:-1], {"role": "assistant", "content": f"{BEGINNING} Sieben.\n</think>\n\n7"}]
        assert rendered(template, {"messages": trained, "add_generation_prompt": False}) == rendered(template, body) + (
            " Sieben.\n</think>\n\n7<|im_end|>\n"
        )


RECIPE = """\
version: 1
judges:
  teacher: {{use: openai/chat, with: {{model: m, continues: {continues}}}}}
stages:
  - use: data
    to: made.jsonl
    dataset: {{use: rubric/{step}, with: {{{options}}}, from: {{use: data/jsonl, with: {{path: rows.jsonl}}}}}}
"""
ROW = '{"prompt": "?", "response": "7", "score": "true", "language": "de", "completions": ["7", "8"]}\n'


@pytest.mark.parametrize(
    ("step", "options"),
    [
        ("distilled", "teacher: teacher, asks: binary, strategy: tgt-tgt"),
        ("distilled", "teacher: teacher, asks: binary, also: [tgt-eng, tgt-tgt]"),
        ("preferences", "judge: teacher, asks: binary, options: {strategy: tgt-tgt}"),
    ],
)
def test_check_refuses_a_judge_that_does_not_go_on_in_any_of_a_steps_questions(tmp_path, monkeypatch, step, options):
    monkeypatch.chdir(tmp_path)
    Path("rows.jsonl").write_text(ROW, encoding="utf-8")
    for continues in ("false", "true"):
        Path("r.yaml").write_text(RECIPE.format(continues=continues, step=step, options=options), encoding="utf-8")
        if continues == "true":
            check_recipe(load(Path("r.yaml")), purpose="check")
        else:
            with pytest.raises(UserError, match=r"r.yaml:\d+: .*begins the reply of judges.teacher.*`continues: true`"):
                check_recipe(load(Path("r.yaml")), purpose="check")


def _unkeyed(body):
    """A request without the key of its fences, which is drawn anew."""
    import json
    import re

    return re.sub(r"\b[0-9a-f]{16}\b", "KEY", json.dumps(body, sort_keys=True))
