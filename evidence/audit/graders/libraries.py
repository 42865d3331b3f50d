"""Graders of libraries that train, and of training scripts that were published with a model or a paper."""

from audit.grader import Grader

REQUIREMENTS = """
trl==1.16.0 verl==0.9.1 areal==1.0.4 tinker-cookbook==0.6.1 retrain==0.3.0 skyrl-gym==0.4.0 ai4math==0.1.0
atroposlib==0.4.0 openrlhf==0.11.2 ms-swift==4.6.0 math-verify==0.9.0 sympy==1.14.0 mpmath==1.3.0
latex2sympy2_extended==1.11.0 antlr4-python3-runtime==4.11.0 pylatexenc==2.10 numpy==2.2.6 regex==2026.11.19
mathruler==0.1.0 colorlog==6.12.0 word2number==1.1 packaging==26.4 typing_extensions==4.16.0 requests==2.34.2
PyYAML==6.0.4 pydantic==2.14.4 pydantic_core==2.50.5 annotated-types==0.8.0 typing-inspection==0.4.5 six==1.17.0
tqdm==4.70.1
"""
PACKAGES = tuple(REQUIREMENTS.split())
"""What they need together: without the packages that only a training needs."""
SIMPLE = "short_answers.py"
COMMITS = {
    "Jiayi-Pan/TinyZero": "95df88f2dcb0",
    "Unakar/Logic-RL": "9d2c457525ec",
    "hkust-nlp/simpleRL-reason": "cf1c7858bfc1",
    "PeterGriffinJin/Search-R1": "a14dc3a4ffc6",
    "sail-sg/understand-r1-zero": "dfca49dd460e",
    "PRIME-RL/PRIME": "18ad596f08d4",
    "hiyouga/EasyR1": "b44b311b669b",
    "THUDM/slime": "624b824a898a",
    "NVIDIA-NeMo/RL": "7ea279abfbeb",
    "Deep-Agent/R1-V": "bbbbe3dc1ea6",
    "huggingface/open-r1": "1416fa0cf215",
    "knoveleng/open-rs": "2889c474949b",
    "PrimeIntellect-ai/genesys": "bc10eddd812b",
    "rllm-org/rllm": "9beb6e0f676a",
    "allenai/open-instruct": "e6c3044aa620",
}
LICENCES = {
    "sail-sg/understand-r1-zero": "MIT",
    "hkust-nlp/simpleRL-reason": "MIT",
    "knoveleng/open-rs": "MIT",
    "skyrl-gym": "MIT",
    "atroposlib": "MIT",
    "retrain": "",
}
"""Where it is not Apache-2.0, by the file at the commit or in the wheel; retrain names none."""
LONE, FORM = "adapters/lone_files.py", "adapters/plain_forms.py"
SCRIPTS = [
    ("Jiayi-Pan/TinyZero", LONE, "tinyzero_countdown", "verl", "games.py countdown chat"),
    ("Jiayi-Pan/TinyZero", LONE, "tinyzero_multiply", "verl", "games.py product assistant"),
    ("Jiayi-Pan/TinyZero", LONE, "tinyzero_gsm8k", "verl", f"{SIMPLE} whole hash"),
    ("Unakar/Logic-RL", LONE, "logic_rl_kk", "verl", "games.py knights chat"),
    ("Unakar/Logic-RL", LONE, "logic_rl_countdown", "verl", "games.py countdown chat"),
    ("hkust-nlp/simpleRL-reason", LONE, "simplerl_gsm8k", "verl", f"{SIMPLE} whole hash"),
    ("PeterGriffinJin/Search-R1", LONE, "search_r1_em", "verl", f"{SIMPLE} name search"),
    ("PeterGriffinJin/Search-R1", LONE, "search_r1_subem", "verl", f"{SIMPLE} name search"),
    ("sail-sg/understand-r1-zero", FORM, "r1_zero_boxed", "plain", f"{SIMPLE} formula box"),
    ("sail-sg/understand-r1-zero", FORM, "r1_zero_answer_tag", "plain", f"{SIMPLE} formula spaced_tags"),
    ("sail-sg/understand-r1-zero", FORM, "r1_zero_orz_tag", "plain", f"{SIMPLE} formula flat_tags"),
    ("PRIME-RL/PRIME", LONE, "prime_math", "verl", f"{SIMPLE} formula box"),
    ("PRIME-RL/PRIME", LONE, "prime_gsm8k", "verl", f"{SIMPLE} whole hash"),
    ("hiyouga/EasyR1", FORM, "easyr1_math", "plain", f"{SIMPLE} formula think_box"),
    ("hiyouga/EasyR1", FORM, "easyr1_r1v", "plain", f"{SIMPLE} whole flat_tags"),
    ("hiyouga/EasyR1", LONE, "easyr1_dapo", "plain", f"{SIMPLE} whole line"),
    ("THUDM/slime", LONE, "slime_deepscaler", "plain", f"{SIMPLE} formula think_box"),
    ("THUDM/slime", LONE, "slime_dapo", "verl", f"{SIMPLE} whole line"),
    ("THUDM/slime", LONE, "slime_math", "verl", f"{SIMPLE} formula box"),
    ("THUDM/slime", LONE, "slime_f1", "plain", f"{SIMPLE} name bare"),
    ("THUDM/slime", LONE, "slime_gpqa", "plain", f"{SIMPLE} letter line"),
    ("NVIDIA-NeMo/RL", LONE, "nemo_rl_math_expression", "plain", f"{SIMPLE} formula flat_tags"),
    ("NVIDIA-NeMo/RL", LONE, "nemo_rl_alphanumeric", "plain", f"{SIMPLE} name flat_tags"),
    ("NVIDIA-NeMo/RL", LONE, "nemo_rl_geo3k", "plain", f"{SIMPLE} formula think_box"),
    ("NVIDIA-NeMo/RL", LONE, "nemo_rl_dapo", "verl", f"{SIMPLE} whole line"),
    ("Deep-Agent/R1-V", LONE, "r1_v_accuracy", "trl_messages", f"{SIMPLE} whole tagged_gold"),
    ("huggingface/open-r1", LONE, "open_r1_accuracy", "trl_messages", f"{SIMPLE} formula box"),
    ("knoveleng/open-rs", LONE, "open_rs_accuracy", "trl_messages", f"{SIMPLE} formula box"),
    ("PrimeIntellect-ai/genesys", FORM, "genesys_math", "plain", f"{SIMPLE} formula box"),
    ("rllm-org/rllm", LONE, "rllm_math", "verl", f"{SIMPLE} formula box"),
    ("rllm-org/rllm", LONE, "rllm_countdown", "verl", "games.py countdown chat"),
    ("allenai/open-instruct", FORM, "open_instruct_gsm8kverifier", "plain", f"{SIMPLE} whole is"),
    ("allenai/open-instruct", FORM, "open_instruct_mathverifier", "plain", f"{SIMPLE} formula box"),
    ("allenai/open-instruct", FORM, "open_instruct_strictmathverifier", "plain", f"{SIMPLE} formula box"),
    ("allenai/open-instruct", FORM, "open_instruct_flanverifier", "plain", f"{SIMPLE} letter bbeh"),
    ("allenai/open-instruct", FORM, "open_instruct_stringmatcherverifier", "plain", f"{SIMPLE} name answer_tag"),
    ("allenai/open-instruct", FORM, "open_instruct_f1verifier", "plain", f"{SIMPLE} name bare"),
    ("allenai/open-instruct", FORM, "open_instruct_puzzlematcherverifier", "plain", f"{SIMPLE} name think_bare"),
]
"""Repository, file of the target, its name, signature, rows."""
LIBRARIES = [
    ("trl", "trl.rewards.accuracy_rewards:accuracy_reward", "trl_messages", f"{SIMPLE} formula box"),
    ("trl", "trl.rewards.accuracy_rewards:reasoning_accuracy_reward", "trl_messages", f"{SIMPLE} formula think_box"),
    ("verl", f"{LONE}:verl_gsm8k", "verl", f"{SIMPLE} whole hash"),
    ("verl", f"{LONE}:verl_math_reward", "verl", f"{SIMPLE} formula box"),
    ("verl", f"{LONE}:verl_math_dapo", "verl", f"{SIMPLE} whole line"),
    ("verl", f"{LONE}:verl_geo3k", "plain", f"{SIMPLE} formula think_box"),
    ("verl", f"{LONE}:verl_qa_em", "verl", f"{SIMPLE} name search"),
    ("verl", f"{LONE}:verl_qa_subem", "verl", f"{SIMPLE} name search"),
    ("verl", f"{FORM}:verl_prime_math", "plain", f"{SIMPLE} formula box"),
    ("ms-swift", f"{FORM}:swift_math_accuracy", "plain", f"{SIMPLE} formula box"),
    ("openrlhf", f"{FORM}:openrlhf_math", "plain", f"{SIMPLE} formula box"),
    ("skyrl-gym", f"{LONE}:skyrl_aime", "verl", f"{SIMPLE} whole line"),
    ("skyrl-gym", f"{LONE}:skyrl_gsm8k", "verl", f"{SIMPLE} whole hash"),
    ("skyrl-gym", f"{LONE}:skyrl_em", "verl", f"{SIMPLE} name target_tag"),
    ("skyrl-gym", f"{LONE}:skyrl_subem", "verl", f"{SIMPLE} name target_tag"),
    ("areal", f"{FORM}:areal_gsm8k", "plain", f"{SIMPLE} whole box"),
    ("areal", f"{FORM}:areal_geometry3k", "plain", f"{SIMPLE} whole bracket"),
    ("areal", f"{FORM}:areal_clevr", "plain", f"{SIMPLE} count bracket"),
    ("tinker-cookbook", f"{FORM}:tinker_math", "plain", f"{SIMPLE} formula box"),
    ("tinker-cookbook", f"{FORM}:tinker_math_verify", "plain", f"{SIMPLE} formula box"),
    ("retrain", f"{FORM}:retrain_boxed", "plain", f"{SIMPLE} whole box"),
    ("retrain", f"{FORM}:retrain_math", "plain", f"{SIMPLE} formula box"),
    ("ai4math", f"{FORM}:ai4math_verify", "plain", f"{SIMPLE} formula bare"),
    ("atroposlib", f"{FORM}:atropos_accuracy", "plain", f"{SIMPLE} formula box"),
    ("math-verify", f"{FORM}:math_verify", "plain", f"{SIMPLE} formula box"),
]
"""Package, target, signature, rows."""
ORIGINS = {
    "trl": "huggingface/trl",
    "verl": "volcengine/verl",
    "ms-swift": "modelscope/ms-swift",
    "openrlhf": "OpenRLHF/OpenRLHF",
    "skyrl-gym": "NovaSky-AI/SkyRL",
    "areal": "inclusionAI/AReaL",
    "tinker-cookbook": "thinking-machines-lab/tinker-cookbook",
    "retrain": "teilomillet/retrain",
    "ai4math": "wangyu9/ai4math",
    "atroposlib": "NousResearch/atropos",
    "math-verify": "huggingface/Math-Verify",
}
CONTAINS = dict.fromkeys(
    ("enumeration", "hedged_answer"), "it asks whether the right answer is contained, which its name says"
)


def _known(target: str) -> dict[str, str]:
    return CONTAINS if target.endswith("_subem") else {}


GRADERS = [
    *(
        Grader(
            name=f"{package}/{target.rpartition(':')[2].removeprefix(package.replace('-', '_') + '_')}",
            packages=PACKAGES,
            pip=("--no-deps",),
            target=target,
            signature=signature,
            rows=rows,
            origin=f"https://github.com/{ORIGINS[package]}",
            licence=LICENCES.get(package, "Apache-2.0"),
            known=_known(target),
        )
        for package, target, signature, rows in LIBRARIES
    ),
    *(
        Grader(
            name=f"{repository.rpartition('/')[2]}/{name}",
            packages=PACKAGES,
            pip=("--no-deps",),
            target=f"{file}:{name}",
            signature=signature,
            rows=rows,
            origin=f"https://github.com/{repository}",
            licence=LICENCES.get(repository, "Apache-2.0"),
            known=_known(name),
            source=f"github:{repository}@{COMMITS[repository]}",
        )
        for repository, file, name, signature, rows in SCRIPTS
    ),
]
