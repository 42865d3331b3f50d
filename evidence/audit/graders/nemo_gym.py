"""Resources servers of NeMo-Gym that need no judge and no sandbox, on their own example rollouts."""

from audit.grader import Grader

NAMES = """
arc_agi bunsenbench_chemistry_mcq calendar equivalence_rule format_verification gpqa_diamond graphwalks
hotpotqa_qa imo_gradingbench mcqa proof_genselect ragtruth reasoning_gym ruler2 spartqa string_match
structeval
"""
SERVERS = NAMES.split()
FORGIVEN = {
    "reasoning_gym": {"near_miss": "the connective is not asked for"},
    "imo_gradingbench": {"own_words": "the word is the right grade of its row"},
}
MORE = {"structeval": ("xmltodict==1.0.2",)}
GRADERS = [
    Grader(
        name=f"nemo-gym/{server}",
        packages=(
            "nemo-gym==0.7.0",
            "math-verify==0.9.0",
            "editdistance==0.8.1",
            "toml==0.10.2",
            "reasoning-gym==0.1.25",
            *MORE.get(server, ()),
        ),
        pip=("--ignore-requires-python",),
        python="3.13",
        target=f"adapters/gym_servers.py:{server}",
        signature="nemo_gym",
        rows=f"gym_examples.py {server}",
        origin="https://github.com/NVIDIA-NeMo/Gym",
        licence="Apache-2.0",
        known={"repeated_sentence": "the answer is one sentence: said again it is still right"}
        | FORGIVEN.get(server, {}),
    )
    for server in SERVERS
]
