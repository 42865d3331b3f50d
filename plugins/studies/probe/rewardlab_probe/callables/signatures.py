"""The signatures of graders: how trainers and benchmarks call one, and what each of its parameters gets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from rewardlab import Sample
from rewardlab.errors import UserError

SignatureName = Literal["plain", "trl", "trl_messages", "verl", "verifiers", "reasoning_gym", "nemo_gym", "inspect"]
SIGNATURES: tuple[SignatureName, ...] = get_args(SignatureName)
LISTS = ("trl", "trl_messages")
"""Signatures that get the completions of a batch as a list, and every column of the rows as another."""
COMPLETIONS = (
    "completion", "response", "solution_str", "model_response", "model_output", "llm_output", "output", "prediction",
    "predict_str", "predicted", "pred", "generated_text", "generation", "generated", "candidate", "submission", "text",
)  # fmt: skip
"""What the parameter of the completion is called in plain graders."""
ANSWERS = ("answer", "ground_truth", "gold", "target", "reference", "expected", "label", "solution", "correct_answer")
"""What the parameter and the column of the right answer are called."""
PROMPTS = ("prompt", "question", "query", "instruction", "problem")
ASSISTANT = "assistant"


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """The parameters of a callable.

    Args:
        required: those without a default, in order.
        optional: those with one.
        columns: whether it takes any others by name (`**kwargs`).
        placed: those that are given by their place alone (`def f(text, /)`), in order.
        awaits: whether it is a coroutine function.
        validates: whether its parameter `body` has a type of pydantic.
        place: the file and line of its code; ("", 0) if it has none.
    """

    required: Sequence[str]
    optional: Sequence[str] = ()
    columns: bool = False
    placed: Sequence[str] = ()
    awaits: bool = False
    validates: bool = False
    place: tuple[str, int] = ("", 0)

    @classmethod
    def of(cls, described: Mapping[str, Any]) -> "Parameters":
        """Return the parameters in a worker's answer."""
        every = described["parameters"]
        named = [(name, required) for name, kind, required in every if not kind.startswith("VAR_")]
        return cls(
            required=[name for name, required in named if required],
            optional=[name for name, required in named if not required],
            columns=any(kind == "VAR_KEYWORD" for _, kind, _ in every),
            placed=[name for name, kind, _ in every if kind == "POSITIONAL_ONLY"],
            awaits=described["async"],
            validates=described["validates"],
            place=(described["file"], described["line"]),
        )

    @property
    def names(self) -> list[str]:
        """All names, those that must be given first."""
        return [*self.required, *self.optional]

    def __str__(self) -> str:
        listed = [*self.required, *(f"{name}=..." for name in self.optional), *(["**columns"] if self.columns else [])]
        return f"({', '.join(listed)})"


def seen_signature(parameters: Parameters, messages: bool) -> SignatureName:
    """Return the signature that the names of the parameters show. A UserError if they show none.

    Args:
        messages: whether the rows' prompts are lists of messages, with which TRL hands over messages as completions.
    """
    names = {*parameters.names}
    if names & {"completions", "completion_ids"}:
        return "trl_messages" if messages else "trl"
    if "solution_str" in names:
        return "verl"
    if parameters.required == ["body"]:
        return "nemo_gym"
    if parameters.required == ["state", "target"]:
        return "inspect"
    if {"answer", "entry"} <= names:
        return "reasoning_gym"
    if "completion" in names and names & {"state", "info", "task", "parser"}:
        return "verifiers"
    if names & {*COMPLETIONS}:
        return "plain"
    problem = f"no parameter of {parameters} is seen to be the completion"
    raise UserError(f"{problem}; --signature says how it is called: {', '.join(SIGNATURES)}")


@dataclass(frozen=True, kw_only=True)
class CallPlan:
    """How a callable is called for a row and its completions."""

    signature: SignatureName
    parameters: Parameters

    @property
    def lists(self) -> bool:
        """Whether one call gets several completions."""
        return self.signature in LISTS

    def lacking(self, sample: Sample) -> list[str]:
        """Return the parameters for which a row has nothing."""
        given = self.arguments(sample, [""])
        return [name for name in self.parameters.required if name not in given and name != "self"]

    def arguments(self, sample: Sample, texts: Sequence[str]) -> dict[str, Any]:
        """Return the arguments of a call for these completions of a row: one, but for signatures of lists."""
        if self.signature == "nemo_gym":
            return {"body": _body(sample, texts[0])}
        if self.signature == "inspect":
            target = _first(sample, ("target", *ANSWERS))
            known = {"target": target if isinstance(target, list) else str(target)} if target is not None else {}
            return {"state": {"prompt": asked_text(sample), "completion": texts[0]}, **known}
        columns = _columns(sample)
        known = self._in_lists(sample, columns, texts) if self.lists else self._alone(sample, columns, texts[0])
        wanted = {name: known[name] for name in self.parameters.names if name in known}
        if self.lists and self.parameters.columns:
            wanted = known | wanted
        return wanted

    def _in_lists(self, sample: Sample, columns: Mapping[str, Any], texts: Sequence[str]) -> dict[str, Any]:
        messages = self.signature == "trl_messages"
        known = {name: [value] * len(texts) for name, value in _with_answers(self.parameters, columns).items()}
        prompt = list(sample.prompt) if messages else asked_text(sample)
        known["prompts"] = [prompt] * len(texts)
        known["completions"] = [_reply(text) if messages else text for text in texts]
        if "completion_ids" in self.parameters.names:
            known["completion_ids"] = [list(range(-(-len(text) // 4))) for text in texts]
        return known

    def _alone(self, sample: Sample, columns: Mapping[str, Any], text: str) -> dict[str, Any]:
        asked = asked_text(sample)
        known = dict.fromkeys(PROMPTS, asked) | _with_answers(self.parameters, columns)
        if self.signature == "verl":
            return {"data_source": "unknown", "extra_info": {}, **known, "solution_str": text}
        if self.signature == "reasoning_gym":
            return {**known, "answer": text}
        if self.signature == "verifiers":
            messages = {"prompt": list(sample.prompt), "completion": _reply(text)}
            answered = {"info": columns.get("info", {}), "task": "default"}
            return {**known, **answered, **messages, "state": {**columns, **answered, **messages}}
        names = self.parameters.names
        place = next((name for name in COMPLETIONS if name in names), names[0] if names else "")
        missing = [name for name in self.parameters.required if name != place and name not in known]
        if missing and place not in COMPLETIONS and (right := _first(sample, ANSWERS)) is not None:
            known[missing[0]] = right  # names of its own, said to be plain: the completion, then the right answer
        return {**known, place: text}


def asked_text(sample: Sample) -> str:
    """Return the prompt of a row as one text."""
    return "\n\n".join(message["content"] for message in sample.prompt)


def _columns(sample: Sample) -> dict[str, Any]:
    return {name: value for name, value in sample.fields.items() if name not in ("honest", "also_right")}


def _with_answers(parameters: Parameters, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns, and the right answer under the name by which a parameter asks for it."""
    right = next((columns[name] for name in ANSWERS if name in columns), None)
    wanted = [name for name in parameters.names if name in ANSWERS and name not in columns]
    return {**columns, **(dict.fromkeys(wanted, right) if right is not None else {})}


def _first(sample: Sample, names: Sequence[str]) -> Any:
    return next((sample.fields[name] for name in names if sample.fields.get(name) is not None), None)


def _reply(text: str) -> list[dict[str, str]]:
    return [{"role": ASSISTANT, "content": text}]


def _body(sample: Sample, text: str) -> dict[str, Any]:
    """Return what NeMo-Gym sends to a server's verify."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    message = {"id": "msg", "type": "message", "role": ASSISTANT, "status": "completed", "content": content}
    response = {
        "id": "resp", "object": "response", "created_at": 0, "model": "policy", "output": [message],
        "parallel_tool_calls": False, "tool_choice": "auto", "tools": [],
    }  # fmt: skip
    asked = {"input": list(sample.prompt)}
    return {**_columns(sample), "responses_create_params": asked, "response": response}
