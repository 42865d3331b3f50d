"""The scorers of reasoning-gym's tasks: 69 of their own whose entries have an answer, and that of all others."""

from audit.grader import Grader

NAMES = """
ab advanced_geometry arc_agi binary_matrix bitwise_arithmetic calendar_arithmetic chain_sum circuit_logic codeio
coin_flip color_cube_rotation complex_arithmetic countdown cryptarithm decimal_arithmetic decimal_chain_sum dice
emoji_mystery family_relationships figlet_font fraction_simplification futoshiki game_of_life game_of_life_halting
graph_color group_anagrams gsm_symbolic intermediate_integration jugs kakurasu knight_swap knights_knaves
letter_jumble manipulate_matrix mini_sudoku n_queens needle_haystack number_format number_sorting
palindrome_generation palindrome_partitioning path_star polynomial_equations pool_matrix
power_function prime_factorization products propositional_logic puzzle24 quantum_lock rearc rectangle_count
rubiks_cube self_reference sentence_reordering shortest_path simple_integration sokoban spell_backward spiral_matrix
string_insertion sudoku survo time_intervals tower_of_hanoi tsumego word_ladder word_sorting zebra_puzzles
"""
TASKS = NAMES.split()
ALL_OTHERS = ("leg_counting",)
"""A task with the scorer that all tasks have which define none."""
FORGIVEN = {
    "letter_jumble": {"near_miss": "capitals are a form that the scorer forgives"},
    "word_ladder": {"near_miss": "capitals are a form that the scorer forgives"},
    "time_intervals": {"near_miss": "it pays by closeness, and a little less"},
    "knights_knaves": {"near_miss": "the connective is not asked for"},
}
GRADERS = [
    Grader(
        name=f"reasoning-gym/{task}",
        packages=("reasoning-gym==0.1.25",),
        target=f"adapters/reasoning_gym_tasks.py:{task}",
        signature="plain",
        rows=f"generated_tasks.py {task}",
        origin="https://github.com/open-thought/reasoning-gym",
        licence="Apache-2.0",
        known={"repeated_sentence": "the answer is one sentence: said again it is still right"}
        | FORGIVEN.get(task, {}),
    )
    for task in (*TASKS, *ALL_OTHERS)
]
