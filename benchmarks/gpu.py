"""What the first minutes on a GPU show: the trl engine's steps, rewards that hold a model, a group of one, a resume.

    python benchmarks/gpu.py [--device cuda | cpu] [--parts training,embed] [--minutes 8] [--out FOLDER]
                             [--wheels FOLDER] [--comet-wheels FOLDER | --comet-python PYTHON]

It needs Python 3.12 with PyTorch, transformers, accelerate and peft, no network and no model: all have random weights
and real shapes, made here; with --device cpu they are miniatures. Where rewardlab is not installed, carry wheels:

    pip wheel --no-deps --no-build-isolation -w wheels . ./core ./plugins/*/*
    pip download --no-deps --only-binary=:all: --python-version 3.12 -d wheels -r benchmarks/gpu_wheels.txt
    pip download --no-deps --only-binary=:all: --python-version 3.12 -d comet-wheels -r benchmarks/gpu_comet_wheels.txt

Each part runs in a process of its own with a bound on its seconds, and the table of what was measured is printed
whatever becomes of the others: on a failure, at the end of the minutes, and on Ctrl-C or SIGTERM. --out keeps table.md
and log.txt, what each part said. Exit code 1 if a part fails or a check does not hold.
"""

import argparse
import importlib.metadata
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from bounded_parts import Part, Rows, run_parts, table
from gpu_models import Shape

HERE = Path(__file__).parent
MAX_SECONDS = {
    "machine": 45,
    "training": 110,
    "resume": 110,
    "embed": 60,
    "reward_model": 75,
    "processes": 60,
    "comet": 100,
    "training_with_model": 150,
}
"""part -> the most seconds on a GPU; what is most worth knowing comes first"""
PATIENCE = {"cuda": 1, "cpu": 5}
"""how many times as long a part may take: a CPU has other work"""
NAMES = ("torch", "transformers", "trl", "accelerate", "peft", "sentence-transformers", "rewardlab-core")


@dataclass(frozen=True)
class Size:
    """How large the models and the work are."""

    policy: Shape
    reward_model: Shape
    encoder: dict = field(default_factory=dict)
    comet: str = "tiny"
    group: int = 4
    batch: int = 2
    micro: int = 4
    steps: int = 3
    tokens: int = 12
    pairs: int = 24
    compared: int = 24
    words: int = 30


SIZES = {
    "cuda": Size(
        policy=Shape(hidden=896, layers=24, heads=14, keys=2, inner=4864, vocabulary=151_936, ends=300),
        reward_model=Shape(hidden=896, layers=8, heads=14, keys=2, inner=4864, vocabulary=32_000, ends=1),
        encoder={"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072},
        comet="base",
        group=8,
        batch=8,
        micro=16,
        steps=4,
        tokens=192,
        pairs=2048,
        compared=8,
        words=100,
    ),
    "cpu": Size(
        policy=Shape(hidden=64, layers=2, heads=4, keys=2, inner=128, vocabulary=512, ends=16),
        reward_model=Shape(hidden=64, layers=2, heads=4, keys=2, inner=128, vocabulary=512, ends=1),
        encoder={"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 128},
    ),
}
"""device -> the size: of 0.5 billion parameters, or a miniature"""


def machine(rows: Rows, folder: Path, device: str, size: Size) -> None:
    """Say what this machine is, and how fast a product of matrices is."""
    import time

    import torch

    rows.add("versions", ", ".join(f"{name} {_version(name)}" for name in NAMES))
    side, kind = (8192, torch.bfloat16) if device == "cuda" else (256, torch.float32)
    if device == "cuda":
        about = torch.cuda.get_device_properties(0)
        rows.add("device", f"{about.name}, {about.total_memory / 2**30:.0f} GiB, CUDA {torch.version.cuda}")
        rows.add("bf16", "is there", torch.cuda.is_bf16_supported(including_emulation=False))
    a, b = (torch.randn(side, side, device=device).to(kind) for _ in range(2))
    times = []
    for _ in range(8):
        began = time.perf_counter()
        a @ b
        if device == "cuda":
            torch.cuda.synchronize()
        times.append(time.perf_counter() - began)
    rows.add(f"a product of {side} x {side}, {kind}", f"{2 * side**3 / min(times) / 1e12:.3g} TFLOP/s")


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def run_part(name: str, folder: Path, device: str) -> None:
    """Run one part in this process."""
    rows, size = Rows(Path(os.environ["ROWS"]), name), SIZES[device]
    if name == "machine":
        machine(rows, folder, device, size)
    elif name in ("embed", "reward_model", "comet"):
        import gpu_rewards

        getattr(gpu_rewards, name)(rows, folder, device, size)
    elif name == "training_with_model":
        import gpu_training

        gpu_training.training(rows, folder, device, size, model_reward=True)
    else:
        import gpu_training

        getattr(gpu_training, name)(rows, folder, device, size)


def carried(wheels: Path | None, folder: Path, name: str) -> str | None:
    """Unpack carried wheels into a folder, and return it; None if none were carried."""
    if wheels is None:
        return None
    target = folder / name
    files = sorted(str(file) for file in wheels.glob("*.whl"))
    if not files:
        sys.exit(f"{wheels}: there are no wheels in it")
    install = ["-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-compile", "--target", str(target)]
    subprocess.run([sys.executable, *install, *files], check=True, timeout=120)
    return str(target)


def comet_interpreter(packages: str, folder: Path) -> str:
    """Return an interpreter that sees COMET's packages before those of this one, as a recipe's environment would."""
    own = folder / "comet-python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(own)], check=True)
    site = next(own.glob("lib/python3*/site-packages"))
    below = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    (site / "carried.pth").write_text("\n".join([packages, *below]) + "\n", encoding="utf-8")
    return str(own / "bin" / "python")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=tuple(SIZES), default="cuda")
    parser.add_argument("--parts", default=",".join(MAX_SECONDS), help=f"of {','.join(MAX_SECONDS)}")
    parser.add_argument("--minutes", type=float, default=8.0)
    parser.add_argument("--out", type=Path, help="a folder for table.md and log.txt")
    parser.add_argument("--wheels", type=Path)
    parser.add_argument("--comet-wheels", type=Path)
    parser.add_argument("--comet-python")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if unknown := set(given.parts.split(",")) - set(MAX_SECONDS):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(MAX_SECONDS)}")
    return given


def main() -> int:
    given = _arguments()
    if given.part:
        run_part(given.part, given.out, given.device)
        return 0
    with tempfile.TemporaryDirectory(prefix="gpu-", ignore_cleanup_errors=True) as name:
        folder, said = Path(name), Path(name) / "said"
        said.mkdir()
        variables = {"HF_HUB_OFFLINE": "1", "PYTHONUNBUFFERED": "1", "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
        if (site := carried(given.wheels, folder, "site")) is not None:
            variables["PYTHONPATH"] = os.pathsep.join(filter(None, [site, variables["PYTHONPATH"]]))
        if (packages := carried(given.comet_wheels, folder, "comet-site")) is not None:
            given.comet_python = comet_interpreter(packages, folder)
        if given.device == "cpu":
            variables["CUDA_VISIBLE_DEVICES"] = ""
        variables["COMET_PYTHON"] = given.comet_python or sys.executable
        command = [sys.executable, str(Path(__file__).resolve()), "--device", given.device, "--out", str(folder)]
        parts = [
            Part(part, [*command, "--part", part], MAX_SECONDS[part] * PATIENCE[given.device])
            for part in given.parts.split(",")
        ]
        rows = run_parts(parts, said, 60 * given.minutes, variables, lambda line: print(line, flush=True))
        shown = table(rows)
        print(f"\n{shown}", flush=True)
        if given.out:
            given.out.mkdir(parents=True, exist_ok=True)
            (given.out / "table.md").write_text(shown + "\n", encoding="utf-8")
            logs = [f"== {log.stem}\n{log.read_text('utf-8', 'replace')}" for log in sorted(said.glob("*.log"))]
            (given.out / "log.txt").write_text("\n".join(logs), encoding="utf-8")
    return int(any(row.holds is False for row in rows))


if __name__ == "__main__":
    sys.exit(main())
