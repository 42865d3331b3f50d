"""embed/cosine through its worker process against a bare length-sorted encode of the same texts on the same model.

    python benchmarks/embedding.py [--rounds 3] [--groups 8] [--size 8] [--device cpu] [--model FOLDER]

Each round has new texts: G completions and a reference a group, of up to 2 kB. `SentenceTransformer.encode` gets every
text once and sorts by length itself; the reward gets whole completions, and cuts, sends, sorts, embeds, compares and
counts what is cut. The two take turns, and the medians of the rounds are compared. Then memory: what embed/cosine and
embed/translated_cosine hold together, and what two processes would. Without --model: 6 layers of 384, random, float32.
Exit code 1 if a cosine differs by more than 1e-5.
"""

import argparse
import asyncio
import importlib.util
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # as the worker has it

from language_fidelity import generate
from rewardlab import Completion, Context, Reply, Sample
from rewardlab.registry import Registry
from rewardlab.workers.shared import Workers

BUILDER = Path(__file__).parents[1] / "tests" / "tiny_models" / "embedder.py"
SIZES = {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536}
LENGTH = 1024
BATCH = 32
LANGUAGES = ["de", "es", "fr", "id", "sw", "zh"]

Items = list[tuple[Sample, Completion]]


@dataclass
class Time:
    """Seconds of one round: by the clock, and of the processor in every process that took part."""

    wall: float
    cpu: float


class Echo:
    """A translator that needs no server: what matters here is who holds a model."""

    async def ask(self, ask):
        return Reply(text=ask.parts["text"])


def build_model(folder: Path) -> Path:
    """A random model of the size that the module says, with the vocabulary of the texts."""
    place = importlib.util.spec_from_file_location("embedder", BUILDER)
    builder = importlib.util.module_from_spec(place)
    place.loader.exec_module(builder)
    builder.SENTENCES = tuple(text for text, _ in generate(LANGUAGES, 200, 99))
    builder.build(folder, length=LENGTH, **SIZES)
    return folder


def items_of(groups: int, size: int, seed: int) -> Items:
    """`groups` groups of `size` completions, each group with its English reference."""
    references = [text for text, _ in generate(["en"], groups, 1000 + seed)]
    texts = iter(generate(LANGUAGES, groups * size, seed))
    made = []
    for number, reference in enumerate(references):
        sample = Sample(id=f"{seed}-{number}", fields={"reference": reference, "language": "de"})
        made += [(sample, Completion(text=f"<think>{next(texts)[0]}</think>")) for _ in range(size)]
    return made


def unique_texts(items: Items) -> list[str]:
    """What there is to embed: the predictions' reasonings and the references, each once."""
    predictions = [completion.text.removeprefix("<think>").removesuffix("</think>") for _, completion in items]
    return list(dict.fromkeys([*(sample.fields["reference"] for sample, _ in items), *predictions]))


def rewards(workers: Workers, model: str, device: str, **options):
    """embed/cosine and embed/translated_cosine as a job builds them."""

    def one(name: str, **more):
        spec = Registry().find("reward", f"embed/{name}")
        opener = workers.of(use=f"embed/{name}", device=device, timeout=600.0)
        context = Context(workers=opener, judges={"mt": Echo()})
        return spec.build(spec.config(model=model, batch_size=BATCH, **more, **options), context)

    return one("cosine"), one("translated_cosine", translator="mt")


def score(reward, items: Items) -> list[float]:
    return [found.value for found in asyncio.run(reward.score(items))]


def timed(work: Callable[[], object]) -> tuple[Time, object]:
    wall, cpu = time.perf_counter(), _cpu_of_all()
    result = work()
    return Time(time.perf_counter() - wall, _cpu_of_all() - cpu), result


def largest_difference(bare, vectors, texts: list[str], items: Items, values: list[float]) -> float:
    """Between the reward's values and the cosines of the bare vectors."""
    from sentence_transformers.util import cos_sim

    place = {text: number for number, text in enumerate(texts)}
    differences = []
    for (sample, completion), value in zip(items, values, strict=True):
        prediction = completion.text.removeprefix("<think>").removesuffix("</think>")
        pair = vectors[place[prediction]], vectors[place[sample.fields["reference"]]]
        differences.append(abs(max(0.0, float(cos_sim(*pair))) - value))
    return max(differences)


def compare(model: str, arguments: argparse.Namespace) -> float:
    """Print the two throughputs; the largest difference between the cosines of both."""
    from sentence_transformers import SentenceTransformer

    bare = SentenceTransformer(model, device=arguments.device, local_files_only=True)
    times: dict[str, list[Time]] = {"bare encode": [], "embed/cosine": []}
    worst, count = 0.0, 0
    with Workers() as workers:
        cosine, _ = rewards(workers, model, arguments.device)
        score(cosine, items_of(1, 1, 77))
        bare.encode(unique_texts(items_of(1, 2, 77)))
        for number in range(arguments.rounds):
            items = items_of(arguments.groups, arguments.size, number)
            texts = unique_texts(items)
            count += len(texts)
            encode = lambda texts=texts: bare.encode(texts, prompt="", batch_size=BATCH)  # noqa: E731
            spent, vectors = timed(encode)
            times["bare encode"].append(spent)
            spent, values = timed(lambda items=items: score(cosine, items))
            times["embed/cosine"].append(spent)
            worst = max(worst, largest_difference(bare, vectors, texts, items, values))
    count /= arguments.rounds
    mean = statistics.mean(len(text) for text in texts)
    print(f"{count:.0f} texts a round, {mean:.0f} characters, {arguments.rounds} rounds, {arguments.device}\n")
    base = times["bare encode"]
    print(f"{'':<14}{'texts a second':>22}{'CPU ms a text':>22}")
    for name, spent in times.items():
        wall = statistics.median(b.wall / t.wall for b, t in zip(base, spent, strict=True))
        cpu = statistics.median(t.cpu / b.cpu for b, t in zip(base, spent, strict=True))
        rate, each = count / statistics.median(t.wall for t in spent), statistics.median(t.cpu for t in spent) / count
        print(f"{name:<14}{f'{rate:.1f} ({wall:.2f}x)':>22}{f'{1000 * each:.1f} ({cpu:.2f}x)':>22}")
    print(f"\nlargest difference of a cosine: {worst:.1e}")
    return worst


def memory(model: str, device: str) -> None:
    """Print what the processes of both rewards hold, with one set of options and with two."""
    items = items_of(1, 4, 5)
    rows = []
    for name, options in (("one process", {}), ("two processes", {"max_tokens": LENGTH})):
        with Workers() as workers:
            cosine, translated = rewards(workers, model, device)
            if options:
                _, translated = rewards(workers, model, device, **options)
            score(cosine, items)
            score(translated, items)
            held = [_resident(pid) for pid in _workers() if "libtorch" in Path(f"/proc/{pid}/maps").read_text()]
            rows.append((name, held))
    (_, shared), (_, apart) = rows
    print(f"\nmemory of the processes that hold the model: {sum(shared):.0f} MB in {len(shared)} for both rewards;")
    print(f"{sum(apart):.0f} MB in {len(apart)} where their options differ ({sum(apart) / sum(shared):.2f}x)")


def _workers() -> list[int]:
    """Pids of this process's worker processes."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        found += [int(pid) for pid in (task / "children").read_text().split()]
    return [pid for pid in found if b"workers/worker_main.py" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def _cpu_of_all() -> float:
    return sum(_cpu(pid) for pid in [os.getpid(), *_workers()])


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident(pid: int) -> float:
    """Megabytes."""
    return int(Path(f"/proc/{pid}/status").read_text().split("VmRSS:")[1].split()[0]) / 1024


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--groups", type=int, default=8)
    parser.add_argument("--size", type=int, default=8, help="completions of a group")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--model", type=Path, help="a folder; absent: a random model is built")
    return parser.parse_args()


def main() -> int:
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        model = str(arguments.model or build_model(Path(folder) / "model"))
        worst = compare(model, arguments)
        memory(model, arguments.device)
    return 0 if worst <= 1e-5 else 1


if __name__ == "__main__":
    raise SystemExit(main())
