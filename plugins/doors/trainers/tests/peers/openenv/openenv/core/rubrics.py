"""Rubrics, copied from openenv/core/rubrics/base.py and containers.py of OpenEnv 0.10.0, without the hooks before."""

import inspect


class Rubric:
    def __init__(self):
        object.__setattr__(self, "_rubric_children", {})
        object.__setattr__(self, "_forward_hooks", [])
        object.__setattr__(self, "last_score", None)

    def __setattr__(self, name, value):
        if isinstance(value, Rubric):
            self._rubric_children[name] = value
        object.__setattr__(self, name, value)

    def __call__(self, action, observation):
        result = self.forward(action, observation)
        if inspect.iscoroutine(result):
            return self._finish_awaited(action, observation, result)
        return self._finish_forward(action, observation, result)

    def _finish_forward(self, action, observation, result):
        self.last_score = result
        for hook in self._forward_hooks:
            hook(self, action, observation, result)
        return result

    async def _finish_awaited(self, action, observation, result_coro):
        return self._finish_forward(action, observation, await result_coro)

    def register_forward_hook(self, hook):
        self._forward_hooks.append(hook)

    def named_rubrics(self, prefix=""):
        for name, child in self._rubric_children.items():
            full_name = f"{prefix}.{name}" if prefix else name
            yield full_name, child
            yield from child.named_rubrics(full_name)


class RubricDict(Rubric):
    def __init__(self, rubrics=None):
        super().__init__()
        self._rubric_dict = {}
        for name, rubric in (rubrics or {}).items():
            setattr(self, name, rubric)
            self._rubric_dict[name] = rubric

    def __getitem__(self, key):
        return self._rubric_dict[key]
