"""A judge as one draw of a component asks it: further draws of each question, after its own answer if it commits."""

from dataclasses import replace
from typing import Any

from rewardlab.specs import JudgeClient
from rewardlab.types import Ask, Message, Reply

SOLVE = "Solve this task yourself: nobody's work on it is shown yet. End with your answer.\n\n{query}"
OF_SAMPLING = ("temperature", "top_p", "max_tokens")  # others of a question are about the form of a verdict


class JudgeOfDraw:
    """A judge whose questions are draw `index` of `count`, for a component that asks the same several times.

    commit_first: it first solves the task, the part `query` of a question, which is asked once a prompt and draw, as
        equal questions are; its own answer stands before the question as a turn of the conversation.
    """

    def __init__(self, judge: JudgeClient, index: int, count: int, commit_first: bool) -> None:
        self._judge, self._index, self._count, self._commits = judge, index, count, commit_first

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
        own = await self._judge.ask(Ask(messages=(task,), parts={"query": query}, params=params, draw=ask.draw))
        if own.error is not None:
            return own
        answer = own.text.rpartition("</think>")[2].strip()
        self._judge.report_parsed(own, own.fault is None and bool(answer))
        if own.fault is not None or not answer:
            return Reply(error=f"the judge has no own answer: {own.fault or 'it is a thought alone'}")
        told = sum(message["role"] in ("system", "developer") for message in ask.messages)
        turns = (task, {"role": "assistant", "content": answer})
        return await self._judge.ask(replace(ask, messages=(*ask.messages[:told], *turns, *ask.messages[told:])))
