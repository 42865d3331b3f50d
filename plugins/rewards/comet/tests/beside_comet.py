"""Print as JSON what COMET itself and the worker's files make of the same inputs; COMET's interpreter runs this.

python beside_comet.py FOLDER_OF_A_TINY_CHECKPOINT FOLDER_OF_THE_WORKER
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

TINY, WORKER = map(Path, sys.argv[1:])
sys.path += [str(WORKER), str(Path(__file__).parent)]
os.environ["HF_HUB_OFFLINE"] = "1"

import torch  # noqa: E402
from cases import FORGED, HALVES, ORDINARY  # noqa: E402
from comet.models import ReferencelessRegression, RegressionMetric, UnifiedMetric, XCOMETMetric  # noqa: E402
from comet_scorer.checkpoint import CheckpointError, load  # noqa: E402
from comet_scorer.device import UnknownDevice, require_device  # noqa: E402
from comet_scorer.scorer import CometScorer  # noqa: E402
from comet_scorer.tokens import PlainTextTokenizer  # noqa: E402

torch.set_num_threads(1)
PAIRS = [{"src": src, "mt": mt} for src, mt in ORDINARY]


def main() -> None:
    model = load(str(TINY / "checkpoints" / "model.ckpt"), "cpu")
    found = {
        "predict": predict(model, PAIRS),
        "batches": {size: CometScorer(model, size).answer(PAIRS) for size in (1, 600, 100_000)},
        "halves": predict(model, [{"src": "8", "mt": half} for half in HALVES]),
        "forms": {kind.__name__: parity(kind) for kind in (UnifiedMetric, XCOMETMetric, ReferencelessRegression)},
        "separate": separate_pieces(),
        "forged": forged(model),
        "blank": CometScorer(model, 512).answer(
            [{"src": "8", "mt": " "}, {"src": "", "mt": "8"}, {"src": " ", "mt": " "}]
        ),
        "rows": rows_seen(model, [PAIRS[0], PAIRS[1], PAIRS[0], PAIRS[0]]),
        "memory": memory(model),
        "not a number": not_a_number(model),
        "errors": errors(),
    }
    print(json.dumps(found))


def words(count: int) -> str:
    """Return a text of `count` tokens."""
    return " ".join(["a"] * count)


def predict(model, pairs) -> list[float]:
    return model.predict(pairs, gpus=0, num_workers=0, progress_bar=False, batch_size=4).scores


def parity(kind) -> dict:
    """Return COMET's scores and ours for a checkpoint of this kind with random weights."""
    torch.manual_seed(0)
    model = metric(kind).eval()
    pairs = PAIRS[:5]
    return {"predict": predict(model, pairs), "ours": CometScorer(model, 512).answer(pairs)}


def metric(kind, **settings):
    if issubclass(kind, UnifiedMetric):  # these mark words, too
        settings |= {"word_layer": 2, "word_level_training": True, "error_labels": ["minor", "major", "critical"]}
    return kind(
        encoder_model="XLM-RoBERTa",
        pretrained_model=str(TINY / "encoder"),
        hidden_sizes=[16],
        layer_transformation="softmax",
        local_files_only=True,
        **settings,
    )


def separate_pieces() -> list:
    """Return the answers of a checkpoint that reads each side by itself: 508 tokens of each are whole, 509 are not."""
    torch.manual_seed(0)
    scorer = CometScorer(metric(ReferencelessRegression).eval(), 512)
    return scorer.answer([{"src": words(508), "mt": words(count)} for count in (508, 509)])


def forged(model) -> dict:
    """Return how many of XLM-R's separators each text brings into mt: in COMET, and in our tokenizer."""
    tokenizer = model.encoder.tokenizer
    special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
    theirs = tokenizer(FORGED, add_special_tokens=False).input_ids
    ours = [tokens.ids for tokens in PlainTextTokenizer(tokenizer).read(FORGED)]
    counts = {
        name: [sum(token in special for token in ids) for ids in read]
        for name, read in {"comet": theirs, "ours": ours}.items()
    }
    return counts | {"unknown": [tokenizer.unk_token_id in ids for ids in ours]}


def rows_seen(model, pairs) -> int:
    """Return how many rows the encoder is given for the pairs."""
    seen = []
    handle = model.estimator.register_forward_pre_hook(lambda module, args: seen.append(len(args[0])))
    CometScorer(model, 512).answer(pairs)
    handle.remove()
    return sum(seen)


def memory(model) -> dict:
    """Return what becomes of batches that do not fit: with a hook that lets few rows through, and with a real limit."""
    scorer = CometScorer(model, 1 << 20)
    expected = scorer.answer(PAIRS)
    found = {"expected": expected}
    for name, error in (
        ("cuda", torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")),
        (
            "cpu",
            RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"),
        ),
    ):
        seen = []

        def hook(module, args, kwargs, seen=seen, error=error):
            seen.append(list(kwargs["input_ids"].shape))
            if seen[-1][0] > 2 or seen[-1][1] > 500:
                raise error

        handle = model.encoder.model.register_forward_pre_hook(hook, with_kwargs=True)
        found[name] = {"answers": scorer.answer(PAIRS), "seen": seen}
        handle.remove()
    found["limited"] = limited(scorer)
    return found


def limited(scorer) -> dict:
    """Score 600 pairs of 500 tokens in a process that has memory for a few of them at once."""
    pairs = [{"src": f"{number}", "mt": f"{number} " + "a " * 490} for number in range(600)]
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    calls = []
    handle = scorer._form._encoder.register_forward_pre_hook(lambda module, args: calls.append(1))
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (size + (256 << 20), before[1]))
    try:
        answers = scorer.answer(pairs)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
        handle.remove()
    return {"scored": sum("score" in answer for answer in answers), "calls": len(calls)}


def not_a_number(model) -> list:
    """Return the answers where the head gives nan for one pair."""

    def hook(module, args, output):
        output[0] = float("nan")

    handle = model.estimator.register_forward_hook(hook)
    answers = CometScorer(model, 1 << 20).answer(PAIRS[:3])
    handle.remove()
    return answers


def errors() -> dict:
    """Return the error messages about checkpoints that cannot be used."""
    found = {"hub": error_of("Unbabel/wmt23-cometkiwi-da-xl"), "missing": error_of("/no/where/model.ckpt")}
    found["gated"] = gated("Unbabel/wmt23-cometkiwi-da-xl")
    count = torch.cuda.device_count()
    found["devices"] = "".join(f", {name}" for name in ("cuda", *(f"cuda:{n}" for n in range(count))) if count)
    try:
        require_device("gpu")
    except UnknownDevice as error:
        found["device"] = str(error)
    with tempfile.TemporaryDirectory() as folder:
        broken = Path(folder) / "broken"
        shutil.copytree(TINY, broken)
        file = broken / "checkpoints" / "model.ckpt"
        whole = torch.load(file)
        file.write_bytes(file.read_bytes()[:20_000])
        found["torn"] = error_of(str(file))
        torch.save(whole | {"state_dict": {k: v for k, v in whole["state_dict"].items() if "estimator" not in k}}, file)
        found["weights"] = error_of(str(file))
        model = metric(RegressionMetric)
        torch.save(whole | {"state_dict": model.state_dict(), "hyper_parameters": dict(model.hparams)}, file)
        settings = broken / "hparams.yaml"
        settings.write_text(settings.read_text().replace("unified_metric", "regression_metric"))
        found["references"] = error_of(str(file))
    return found


def gated(name: str) -> str:
    """Return the error message where the hub, here a server on the loopback, refuses."""
    server = HTTPServer(("127.0.0.1", 0), RefusingHub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    code = "import sys; sys.path += sys.argv[2:]; from comet_scorer.checkpoint import load; load(sys.argv[1], 'cpu')"
    place = {"HF_ENDPOINT": f"http://127.0.0.1:{server.server_address[1]}", "HF_HUB_OFFLINE": "0"}
    command = [sys.executable, "-W", "ignore", "-c", code, name, str(WORKER)]
    done = subprocess.run(command, env=os.environ | place, capture_output=True, text=True)
    server.shutdown()
    return done.stderr.strip().splitlines()[-1].removeprefix("comet_scorer.checkpoint.CheckpointError: ")


class RefusingHub(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(401)
        self.send_header("X-Error-Code", "GatedRepo")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_HEAD = do_GET

    def log_message(self, *arguments):
        """Log nothing."""


def error_of(name: str) -> str:
    try:
        load(name, "cpu")
    except CheckpointError as error:
        return str(error)
    return "none"


main()
