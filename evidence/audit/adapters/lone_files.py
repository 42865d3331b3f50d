"""Graders out of single files, of repositories or of packages whose own import asks for a trainer's whole stack.

A file is imported in a package that only has its folder, so that `from .other import` works and no `__init__` runs.
Repositories lie in evidence/audit/sources, as OWNER+NAME.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

OPEN_INSTRUCT = [
    "GSM8KVerifier", "MathVerifier", "StrictMathVerifier", "FlanVerifier", "StringMatcherVerifier", "F1Verifier",
    "PuzzleMatcherVerifier",
]  # fmt: skip
FILES = {
    "tinyzero_countdown": ("Jiayi-Pan/TinyZero", "verl/utils/reward_score/countdown.py", "compute_score"),
    "tinyzero_multiply": ("Jiayi-Pan/TinyZero", "verl/utils/reward_score/multiply.py", "compute_score"),
    "tinyzero_gsm8k": ("Jiayi-Pan/TinyZero", "verl/utils/reward_score/gsm8k.py", "compute_score"),
    "logic_rl_kk": ("Unakar/Logic-RL", "verl/utils/reward_score/kk.py", "compute_score"),
    "logic_rl_countdown": ("Unakar/Logic-RL", "verl/utils/reward_score/countdown.py", "compute_score"),
    "simplerl_gsm8k": ("hkust-nlp/simpleRL-reason", "verl/utils/reward_score/gsm8k.py", "compute_score"),
    "search_r1_em": ("PeterGriffinJin/Search-R1", "verl/utils/reward_score/qa_em.py", "compute_score_em"),
    "search_r1_subem": ("PeterGriffinJin/Search-R1", "verl/utils/reward_score/qa_em.py", "compute_score_subem"),
    "search_r1_format": ("PeterGriffinJin/Search-R1", "verl/utils/reward_score/qa_em_format.py", "compute_score_em"),
    "r1_zero_boxed": ("sail-sg/understand-r1-zero", "understand_r1_zero/math_grader.py", "boxed_reward_fn"),
    "r1_zero_answer_tag": ("sail-sg/understand-r1-zero", "understand_r1_zero/math_grader.py", "answer_tag_reward_fn"),
    "r1_zero_orz_tag": (
        "sail-sg/understand-r1-zero", "understand_r1_zero/math_grader.py", "answer_tag_reward_fn_for_orz"
    ),
    "prime_math": ("PRIME-RL/PRIME", "training/verl/utils/reward_score/math.py", "compute_score"),
    "prime_gsm8k": ("PRIME-RL/PRIME", "training/verl/utils/reward_score/gsm8k.py", "compute_score"),
    "easyr1_math": ("hiyouga/EasyR1", "examples/reward_function/math.py", "compute_score"),
    "easyr1_r1v": ("hiyouga/EasyR1", "examples/reward_function/r1v.py", "compute_score"),
    "easyr1_dapo": ("hiyouga/EasyR1", "examples/reward_function/dapo.py", "accuracy_reward"),
    "slime_deepscaler": ("THUDM/slime", "slime/rollout/rm_hub/deepscaler.py", "get_deepscaler_rule_based_reward"),
    "slime_dapo": ("THUDM/slime", "slime/rollout/rm_hub/math_dapo_utils.py", "compute_score"),
    "slime_math": ("THUDM/slime", "slime/rollout/rm_hub/math_utils.py", "grade_answer_verl"),
    "slime_f1": ("THUDM/slime", "slime/rollout/rm_hub/f1.py", "f1_score"),
    "slime_gpqa": ("THUDM/slime", "slime/rollout/rm_hub/gpqa.py", "compute_gpqa_reward"),
    "nemo_rl_math_expression": ("NVIDIA-NeMo/RL", "nemo_rl/environments/rewards.py", "math_expression_reward"),
    "nemo_rl_alphanumeric": ("NVIDIA-NeMo/RL", "nemo_rl/environments/rewards.py", "exact_answer_alphanumeric_reward"),
    "nemo_rl_geo3k": ("NVIDIA-NeMo/RL", "nemo_rl/environments/rewards.py", "geo3k_reward"),
    "nemo_rl_dapo": ("NVIDIA-NeMo/RL", "nemo_rl/environments/dapo_math_verifier.py", "compute_score"),
    "r1_v_accuracy": ("Deep-Agent/R1-V", "src/r1-v/src/open_r1/grpo.py", "accuracy_reward"),
    "open_r1_accuracy": ("huggingface/open-r1", "src/open_r1/rewards.py", "accuracy_reward"),
    "open_rs_accuracy": ("knoveleng/open-rs", "src/open_r1/rewards.py", "accuracy_reward"),
    "genesys_math": ("PrimeIntellect-ai/genesys", "src/genesys/verifiers/math_verifier.py", "MathVerifier"),
    "rllm_math": ("rllm-org/rllm", "rllm/rewards/math_utils/utils.py", "grade_answer_verl"),
    "rllm_countdown": ("rllm-org/rllm", "rllm/rewards/countdown_reward.py", "compute_score"),
    "verl_gsm8k": ("verl", "utils/reward_score/gsm8k.py", "compute_score"),
    "verl_math_reward": ("verl", "utils/reward_score/math_reward.py", "compute_score"),
    "verl_math_dapo": ("verl", "utils/reward_score/math_dapo.py", "compute_score"),
    "verl_geo3k": ("verl", "utils/reward_score/geo3k.py", "compute_score"),
    "verl_qa_em": ("verl", "utils/reward_score/search_r1_like_qa_em.py", "compute_score"),
    "verl_qa_subem": ("verl", "utils/reward_score/search_r1_like_qa_em.py", "compute_score_subem"),
    "verl_prime_math": ("verl", "utils/reward_score/prime_math/__init__.py", "compute_score"),
    "swift_math_accuracy": ("swift", "rewards/orm.py", "MathAccuracy"),
    "swift_math": ("swift", "rewards/orm.py", "MathORM"),
    "openrlhf_math": ("openrlhf", "utils/math_utils.py", "grade_answer"),
    "openrlhf_boxed": ("openrlhf", "utils/math_utils.py", "extract_boxed_answer"),
    "areal_worker": ("areal", "reward/__init__.py", "get_math_verify_worker"),
    "skyrl_gsm8k": ("skyrl_gym", "envs/gsm8k/utils.py", "compute_score"),
    "skyrl_em": ("skyrl_gym", "envs/search/utils.py", "compute_score"),
    "skyrl_subem": ("skyrl_gym", "envs/search/utils.py", "compute_score_subem"),
    "skyrl_aime": ("skyrl_gym", "envs/aime/utils.py", "compute_score"),
    **{
        f"open_instruct_{name.lower()}": ("allenai/open-instruct", "open_instruct/ground_truth_utils.py", name)
        for name in OPEN_INSTRUCT
    },
}  # fmt: skip
"""Name -> the repository or package, the file in it, and the function."""
NOT_NEEDED = {
    "datasets", "transformers", "trl", "open_r1", "ray", "verl", "swift", "rllm", "requests", "open_instruct",
    "genesys", "areal", "colorlog", "pandas", "loguru", "torch", "e2b_code_interpreter", "morphcloud", "accelerate",
    "async_lru", "aiohttp", "httpx", "openai", "dotenv", "pebble", "jieba",
}  # fmt: skip
"""Packages that such a file imports for other purposes than its grader: one that is absent, or the file's own, is an
empty stand-in."""
NEEDED = {
    "open_instruct.math_utils": "open_instruct/math_utils.py",
    "genesys.verifiers.base_verifier": "src/genesys/verifiers/base_verifier.py",
}
"""Modules of these that a grader does need, and their files."""


class Anything:
    """What a stand-in has under any name: it can be a base, be called, and decorate."""

    def __init__(self, *given: Any, **named: Any) -> None:
        """Take whatever is given."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Return a decorated function as it is."""
        return given[0] if given and callable(given[0]) else self

    def __getattr__(self, name: str) -> Any:
        """Return another."""
        return Anything()


class StandIn(types.ModuleType):
    """A module that is absent: under each name it has a class of its own."""

    def __getattr__(self, name: str) -> Any:
        """Return that class, or for a lower-case name something to call."""
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (Anything,), {}) if name[0].isupper() else Anything()


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a stand-in for each module of packages that are not needed.

    Args:
        packages: their names.
        place: the repository or package, which has the modules that are needed.
    """

    def __init__(self, packages: set[str], place: Path) -> None:
        self.packages, self.place = packages, place

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        """Return how to import a stand-in; None for a module of another package."""
        if name.partition(".")[0] not in self.packages:
            return None
        if name in NEEDED and (self.place / NEEDED[name]).exists():
            return importlib.util.spec_from_file_location(name, self.place / NEEDED[name])
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> StandIn:
        """Return the stand-in."""
        return StandIn(spec.name)

    def exec_module(self, module: Any) -> None:
        """Leave it empty."""


def root(owner: str) -> Path:
    """Return the folder of a repository or an installed package."""
    if "/" in owner:
        return Path(__file__).parents[1] / "sources" / owner.replace("/", "+")
    for place in map(Path, sys.path):
        if (place / owner).is_dir():
            return place / owner
    raise FileNotFoundError(f"{owner} is not installed")


def stand_in(place: Path) -> None:
    """Let stand-ins be imported for what is not needed and absent."""
    sys.meta_path.append(StandIns(NOT_NEEDED, place))


@cache
def load(name: str) -> Any:
    """Return the function of a name, from its file alone."""
    owner, file, function = FILES[name]
    place = root(owner)
    path = place / file
    stem = path.parent.name if path.stem == "__init__" else path.stem
    folder = path.parent.parent if path.stem == "__init__" else path.parent
    package = f"lone_{name}"
    above = types.ModuleType(package)
    above.__path__ = [str(folder)]
    sys.modules[package] = above
    own = {owner.rpartition("/")[2].replace("-", "_").casefold()}
    sys.meta_path.insert(0, StandIns(NOT_NEEDED if "/" in owner else NOT_NEEDED & own, place))
    stand_in(place)
    return getattr(importlib.import_module(f"{package}.{stem}"), function)


def __getattr__(name: str) -> Callable[..., Any]:
    """Return the grader of a name."""
    if name not in FILES:
        raise AttributeError(name)
    return load(name)
