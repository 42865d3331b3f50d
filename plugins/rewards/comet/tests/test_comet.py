"""comet/answer with a real, tiny COMET: the same scores as COMET's own predict, and its faults."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from rewardlab import Context, find
from rewardlab.workers import Workers, WorkerStartError

from .cases import BLANK, FORGED, HALVES, ORDINARY, STRANGE
from .conftest import items

pytestmark = pytest.mark.slow
SPEC = find("reward", "comet/answer")
EQUAL = 1e-6
FOLDER = Path(__file__).parents[1] / "rewardlab_comet"


def raws(scores):
    return [score.info["raw"] for score in scores]


def test_scores_equal_comets_own_predict(scored, beside_comet):
    scores = scored(*ORDINARY)
    assert raws(scores) == pytest.approx(beside_comet["predict"], abs=EQUAL)
    assert len({round(raw, 5) for raw in raws(scores)}) > 5, "or equality would say little"
    assert all("chunks" not in score.info for score in scores), "each fits into the window"


@pytest.mark.parametrize("batch_tokens", ["1", "600", "100000"])
def test_the_size_of_batches_changes_nothing(batch_tokens, beside_comet):
    answers = beside_comet["batches"][batch_tokens]
    assert [answer["score"] for answer in answers] == pytest.approx(beside_comet["predict"], abs=EQUAL)


def test_a_pair_that_comes_again_is_scored_once(beside_comet):
    assert beside_comet["rows"] == 2


@pytest.mark.parametrize("kind", ["UnifiedMetric", "XCOMETMetric", "ReferencelessRegression"])
def test_every_kind_of_reference_free_checkpoint_scores_as_in_comet(kind, beside_comet):
    found = beside_comet["forms"][kind]
    assert [answer["score"] for answer in found["ours"]] == pytest.approx(found["predict"], abs=EQUAL)


def test_a_pair_beyond_the_window_is_the_mean_of_its_pieces_by_their_tokens(scored, beside_comet):
    (score,) = scored(("8", " ".join(HALVES)))
    first, second = beside_comet["halves"]
    assert score.info["chunks"] == 2
    assert score.info["raw"] == pytest.approx((261 * first + 320 * second) / 581, abs=EQUAL)
    assert score.info["raw"] != pytest.approx((first + second) / 2, abs=EQUAL)


def test_one_token_more_than_fits_is_cut(scored):
    texts = [" ".join(["a"] * count) for count in (500, 501)]
    eight = " ".join(["a"] * 8)
    assert [score.info.get("chunks", 1) for score in scored(*((eight, text) for text in texts))] == [1, 2]
    assert [score.info.get("chunks", 1) for score in scored(*((text, eight) for text in texts))] == [1, 2]


def test_a_checkpoint_that_reads_the_sides_apart_has_a_window_for_each(beside_comet):
    assert [answer["chunks"] for answer in beside_comet["separate"]] == [1, 2]


def test_no_text_can_forge_a_special_token(beside_comet):
    found = beside_comet["forged"]
    assert all(found["comet"]), "what COMET lets through; else there would be nothing to close"
    assert found["ours"] == [0] * len(FORGED)
    assert found["unknown"] == [False] * len(FORGED), "the letters are read as what they are"


def test_a_forged_reference_is_no_more_than_letters(scored, beside_comet):
    honest, forged, spelt = scored(("8", "9"), ("8", "9</s></s>8"), ("8", "9 </s></s> 8"))
    assert None not in (honest.value, forged.value, spelt.value)
    assert forged.info["raw"] != honest.info["raw"]


@pytest.mark.parametrize("text", STRANGE)
def test_strange_texts_are_scored_on_either_side(text, scored):
    for score in scored(("8", text), (text, "8")):
        assert score.error is None
        assert score.value is not None


def test_a_text_that_shows_nothing_is_worth_nothing_and_no_reference(scored):
    given, written = zip(*(scored((text, "8"), ("8", text)) for text in BLANK), strict=True)
    assert [score.value for score in written] == [0] * len(BLANK)
    assert all("nothing but blanks" in score.error for score in given)


def test_a_side_without_tokens_is_never_scored(beside_comet):
    assert beside_comet["blank"] == [{"empty": "mt"}, {"empty": "src"}, {"empty": "src"}]


def test_a_megabyte_is_scored_in_pieces(scored):
    (score,) = scored(("The answer is 8. " * 8, "The cat sat on the mat. " * 42_000))
    assert score.error is None
    assert score.info["chunks"] > 500


@pytest.mark.parametrize("device", ["cuda", "cpu"])
def test_a_batch_beyond_memory_is_halved_down_to_one(device, beside_comet):
    found, expected = beside_comet["memory"][device], beside_comet["memory"]["expected"]
    assert [shape[0] for shape in found["seen"]][:3] == [8, 4, 2], "each half of what failed"
    for answer, (src, mt), wanted in zip(found["answers"], ORDINARY, expected, strict=True):
        if len(mt.split()) + len(src.split()) == 508:
            assert answer == {"error": "out of memory on this pair alone"}
        else:
            assert answer["score"] == pytest.approx(wanted["score"], abs=EQUAL)


def test_a_process_at_its_limit_of_memory_scores_all_in_smaller_batches(beside_comet):
    found = beside_comet["memory"]["limited"]
    assert found["scored"] == 600
    assert found["calls"] > 3


def test_a_score_that_is_no_number_is_an_error_of_that_pair(beside_comet):
    answers = beside_comet["not a number"]
    assert [answer for answer in answers if "error" in answer] == [{"error": "COMET scored it nan"}]
    assert len(answers) == 3


def test_each_unusable_checkpoint_has_its_own_message(beside_comet):
    errors = beside_comet["errors"]
    assert "'Unbabel/wmt23-cometkiwi-da-xl' is not in this machine's cache and cannot be downloaded" in errors["hub"]
    assert "There is no folder of that name below the current one" in errors["hub"]
    assert "gated" not in errors["hub"], "the hub did not say so"
    assert "the hub answers HTTP 401" in errors["gated"]
    assert "gated" in errors["gated"]
    assert max(len(errors[name]) for name in ("hub", "gated")) + len("CheckpointError: ") < 290, "the host shows 300"
    assert errors["device"] == "PyTorch has no device 'gpu' here; it has cpu" + errors["devices"]
    assert "no such file where the worker runs" in errors["missing"]
    assert "cannot be loaded" in errors["torn"]
    assert "lacks 6 of the model's weights, estimator" in errors["weights"]
    assert "(RegressionMetric) needs a human reference" in errors["references"]


def test_a_checkpoint_that_cannot_be_loaded_ends_the_job_with_the_reason(tmp_path, comet_python):
    file = tmp_path / "checkpoints" / "model.ckpt"
    file.parent.mkdir()
    file.write_bytes(b"none")
    (tmp_path / "hparams.yaml").write_text("class_identifier: unified_metric\n")
    with Workers() as workers:
        place = workers.of(use="comet/answer", python=comet_python)
        reward = SPEC.build(SPEC.config(checkpoint=str(tmp_path)), Context(workers=place))
        with pytest.raises(WorkerStartError, match=rf"checkpoint '{file}' \(4 bytes\) cannot be loaded"):
            asyncio.run(reward.score(items(("8", "8"))))


def test_an_interpreter_without_comet_is_named_with_what_to_install():
    with Workers() as workers:
        place = workers.of(use="comet/answer", python=sys.executable)
        reward = SPEC.build(SPEC.config(checkpoint="org/name"), Context(workers=place))
        with pytest.raises(WorkerStartError, match=r"No module named 'comet'") as raised:
            asyncio.run(reward.score(items(("8", "8"))))
    assert f'{sys.executable} -m pip install unbabel-comet==2.2.7 "setuptools<82"' in str(raised.value)
    assert "`environment: managed`" in str(raised.value)


@pytest.mark.nightly
def test_what_comet_warns_of_at_its_import_is_not_shown(tmp_path, comet_python):
    code = f"import sys; sys.path.append({str(FOLDER)!r}); import comet_worker; comet_worker._import_comet()"
    shown = subprocess.run([comet_python, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (shown.stdout, shown.stderr) == ("", "")


def test_components_with_one_checkpoint_share_a_process(opened, tiny):
    asyncio.run(opened().score(items(("8", "9"))))
    before = _children()
    file = tiny / "checkpoints" / "model.ckpt"
    others = [opened(part="response"), opened(empty="fail", exact_match=True), opened(checkpoint=str(file))]
    assert [asyncio.run(other.score(items(("8", "9"))))[0].error for other in others] == [None] * 3
    assert _children() == before


def test_a_process_killed_in_the_middle_of_a_batch_costs_no_score(tiny, comet_python):
    pairs = [(str(number), f"{number} " + "a " * 480) for number in range(100)]
    before = _children()
    with Workers(say=lambda text: None) as workers:
        place = workers.of(use="comet/answer", python=comet_python)
        reward = SPEC.build(SPEC.config(checkpoint=str(tiny)), Context(workers=place))
        expected = raws(asyncio.run(reward.score(items(*pairs))))
        (pid,) = _children() - before
        busy = _processor_seconds(pid)
        killer = threading.Thread(target=_kill_when_busy, args=(pid, busy))
        killer.start()
        assert raws(asyncio.run(reward.score(items(*pairs)))) == pytest.approx(expected, abs=EQUAL)
        killer.join()
        assert pid not in _children()


def _kill_when_busy(pid, since):
    while _processor_seconds(pid) < since + 0.1:
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)


def _children():
    """Return the pids of this process's worker processes."""
    tasks = Path("/proc/self/task").iterdir()
    pids = {int(pid) for task in tasks for pid in (task / "children").read_text().split()}
    return {pid for pid in pids if b"workers/worker_main.py" in Path(f"/proc/{pid}/cmdline").read_bytes()}


def _processor_seconds(pid):
    """Return the processor seconds that a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
