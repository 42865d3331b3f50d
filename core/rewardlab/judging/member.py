"""A judge as one draw of a component asks it: further draws of each question, after its own answer if it commits."""

from dataclasses import replace
from typing import Any

from rewardlab.specs import JudgeClient
from rewardlab.types import Ask, Message, Reply

SOLVE = "Solve this task yourself: nobody's work on it is shown yet. End with your answer.\n\n{query}"
OF_SAMPLING = ("temperature", "top_p")  # others of a question are about a verdict's form and length
MAX_OWN = 256  # own answers that are at hand, of the last prompts: a completion may arrive long after the first one


class JudgeOfDraw:
    """A judge whose questions are draw `index` of `count`, for a component that asks the same several times.

    commit_first: it first solves the task, the part `query` of a question, which is asked once a prompt and draw, as
        equal questions are; its own answer stands before the question as a turn of the conversation.
    """

    def __init__(self, judge: JudgeClient, index: int, count: int, commit_first: bool) -> None:
        self._judge, self._index, self._count, self._commits = judge, index, count, commit_first
        self._own: dict[str, Reply] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._judge, name)

    async def ask(self, ask: Ask) -> Reply:
        """Return the judge's reply; one with an error, too, if it has no own answer."""
        asked = replace(ask, draw=ask.draw * self._count + self._index)
        return await (self._committed(asked) if self._commits else self._judge.ask(asked))

    async def _committed(self, ask: Ask) -> Reply:
        if not isinstance(query := ask.parts.get("query"), str):
            return Reply(error="the judge cannot answer first: the question has no part `query`, the task to solve")
        task: Message = {"role": "user", "content": SOLVE.format(query=query)}
        params = {name: ask.params[name] for name in OF_SAMPLING if name in ask.params}
        solve = Ask(messages=(task,), parts={"query": query}, params=params, draw=ask.draw)
        own = self._own.get(key := repr(solve)) or await self._judge.ask(solve)
        if own.error is not None:
            return own
        answer = own.text.rpartition("</think>")[2].strip()
        if own.fault is not None or not answer:
            self._judge.report_parsed(own, False)  # one that can be read is no verdict that could be
            return Reply(error=f"the judge has no own answer: {own.fault or 'it is a thought alone'}")
        if key not in self._own:
            self._own = dict([*self._own.items(), (key, own)][-MAX_OWN:])
        told = sum(message["role"] in ("system", "developer") for message in ask.messages)
        turns = (task, {"role": "assistant", "content": answer})
        return await self._judge.ask(replace(ask, messages=(*ask.messages[:told], *turns, *ask.messages[told:])))
