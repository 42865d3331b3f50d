"""Graders with a form of their own as functions (completion, answer)."""

import asyncio
import importlib
from typing import Any

import lone_files


def r1_zero_boxed(completion: str, answer: str) -> float:
    """The second of what boxed_reward_fn returns."""
    return lone_files.load("r1_zero_boxed")(completion, answer)[1]


def r1_zero_answer_tag(completion: str, answer: str) -> float:
    """The second of what answer_tag_reward_fn returns."""
    return lone_files.load("r1_zero_answer_tag")(completion, answer)[1]


def r1_zero_orz_tag(completion: str, answer: str) -> float:
    """The second of what answer_tag_reward_fn_for_orz returns."""
    return lone_files.load("r1_zero_orz_tag")(completion, answer)[1]


def easyr1_math(completion: str, answer: str) -> float:
    """`overall` of the one input."""
    return lone_files.load("easyr1_math")([{"response": completion, "ground_truth": answer}])[0]["overall"]


def easyr1_r1v(completion: str, answer: str) -> float:
    """`overall`."""
    return lone_files.load("easyr1_r1v")({"response": completion, "ground_truth": answer})["overall"]


def genesys_math(completion: str, answer: str) -> float:
    """`score`, without the verifier's own start."""
    kind = lone_files.load("genesys_math")
    verifier = kind.__new__(kind)
    return verifier.verify({"llm_response": completion, "verification_info": {"ground_truth": answer}})["score"]


def swift_math_accuracy(completion: str, solution: str) -> float:
    """The value of the one completion."""
    return lone_files.load("swift_math_accuracy")()([completion], [solution])[0]


def openrlhf_math(completion: str, answer: str) -> float:
    """grade_answer of what stands in the box."""
    given = lone_files.load("openrlhf_boxed")(completion)
    return float(given is not None and lone_files.load("openrlhf_math")(given, answer))


def verl_prime_math(completion: str, answer: str) -> float:
    """The first of what compute_score returns, as verl takes it."""
    return float(lone_files.load("verl_prime_math")(completion, answer)[0])


def math_verify(completion: str, answer: str) -> float:
    """parse and verify with their defaults."""
    from math_verify import parse, verify

    return float(verify(parse(f"${answer}$"), parse(completion)))


def tinker_math(completion: str, answer: str) -> float:
    """grade_answer of what stands in the box, as the recipe's environment calls it."""
    from tinker_cookbook.recipes.math_rl.math_grading import extract_boxed, grade_answer

    return float(grade_answer(_boxed(extract_boxed, completion), answer))


def tinker_math_verify(completion: str, answer: str) -> float:
    """grade_answer_math_verify of what stands in the box."""
    from tinker_cookbook.recipes.math_rl.math_grading import extract_boxed, grade_answer_math_verify

    return float(grade_answer_math_verify(_boxed(extract_boxed, completion), answer))


def _boxed(extract: Any, completion: str) -> str:
    try:
        return extract(completion)
    except ValueError:  # no box, for which the environment gives nothing
        return ""


def retrain_boxed(completion: str, answer: str) -> float:
    """The score of BoxedMathReward."""
    from retrain.rewards import BoxedMathReward

    return BoxedMathReward().score(completion, answer)


def retrain_math(completion: str, answer: str) -> float:
    """The score of VerifiersMathReward."""
    from retrain.rewards import VerifiersMathReward

    return VerifiersMathReward().score(completion, answer)


def ai4math_verify(completion: str, answer: str) -> float:
    """Whether the whole completion is equivalent."""
    from ai4math.verify import verify

    return float(bool(verify(answer, completion)))


def atropos_accuracy(completion: str, answer: str) -> float:
    """The value of the one completion."""
    from atroposlib.envs.reward_fns.accuracy_reward import AccuracyReward

    return float(AccuracyReward().compute([completion], solution=[f"${answer}$"])[0])


def areal_gsm8k(completion: str, answer: str) -> float:
    """gsm8k_reward_fn without tokens."""
    return _areal("gsm8k")("", completion, [], [], answer)


def areal_geometry3k(completion: str, answer: str) -> float:
    """geometry3k_reward_fn without tokens."""
    return _areal("geometry3k")("", completion, [], [], answer)


def areal_clevr(completion: str, answer: str) -> float:
    """clevr_count_70k_reward_fn without tokens."""
    return _areal("clevr_count_70k")("", completion, [], [], answer)


def _areal(name: str) -> Any:
    lone_files.load("areal_worker")
    return getattr(importlib.import_module(f"lone_areal_worker.reward.{name}"), f"{name}_reward_fn")


def open_instruct(name: str, completion: str, answer: str) -> float:
    """The score of one of open-instruct's verifiers."""
    verifier = lone_files.load(f"open_instruct_{name}")()
    returned = verifier([], completion, answer)
    return float(asyncio.run(returned).score if asyncio.iscoroutine(returned) else returned.score)


def __getattr__(name: str) -> Any:
    """Return open_instruct_NAME: the verifier NAME of open-instruct."""
    if not name.startswith("open_instruct_"):
        raise AttributeError(name)

    def grade(completion: str, answer: str) -> float:
        return open_instruct(name.removeprefix("open_instruct_"), completion, answer)

    return grade
