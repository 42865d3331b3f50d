"""YAML of several documents, as people read it: texts line by line, nothing by alias."""

from collections.abc import Sequence
from typing import Any

import yaml


class _PlainDumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        """Return True: what stands twice is written twice."""
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_PlainDumper.add_representer(str, _text)


def yaml_documents(documents: Sequence[Any]) -> str:
    """Return plain values as the documents of one YAML file."""
    return "---\n".join(yaml.dump(each, Dumper=_PlainDumper, sort_keys=False, width=120) for each in documents)
