"""The fields of KubeRay's RayJob by name and type: writes rayjob.json from the definition in a KubeRay checkout.

    python plugins/doors/launch/tests/interfaces/rayjob.py ray.io_rayjobs.yaml

Kubernetes drops unknown fields of a resource in silence; here they are errors.
"""

import json
import sys
from pathlib import Path

import yaml

FILE = Path(__file__).with_suffix(".json")
KEPT = ("type", "enum", "minimum", "maximum", "required", "pattern")


def digest(node, parts):
    """A schema without words and defaults; each mapping with fields once, in `parts`."""
    kept = {key: node[key] for key in KEPT if key in node}
    if node.get("x-kubernetes-int-or-string"):
        kept = {"type": ["integer", "string"]}
    for key in ("items", "additionalProperties"):
        if isinstance(node.get(key), dict):
            kept[key] = digest(node[key], parts)
    if "properties" in node:
        kept["properties"] = {name: digest(value, parts) for name, value in node["properties"].items()}
        kept["additionalProperties"] = False
        number = parts.setdefault(json.dumps(kept, sort_keys=True), len(parts))
        return {"$ref": f"#/$defs/{number}"}
    return kept


def main(path):
    definition = yaml.load(Path(path).read_text(), Loader=yaml.CSafeLoader)
    [version] = [version for version in definition["spec"]["versions"] if version["name"] == "v1"]
    parts = {}
    schema = digest(version["schema"]["openAPIV3Schema"], parts)
    schema["$defs"] = {str(number): json.loads(text) for text, number in parts.items()}
    FILE.write_text(json.dumps(schema, sort_keys=True, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
