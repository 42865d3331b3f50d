"""The prompts of a benchmark: the question with its choices, how to answer, and examples as earlier turns."""

from collections.abc import Sequence

from rewardlab import Message

from rewardlab_data.benchmark_cases import BenchmarkQuestion
from rewardlab_data.benchmark_files import ColumnTemplate
from rewardlab_data.benchmark_format import BenchmarkFormat
from rewardlab_data.instructions import instruction_of, instructions_of_file, native_instructions
from rewardlab_data.options import BenchmarkOptions, InstructionFile

CHOICES, INSTRUCTION = "$choices", "$instruction"


class BenchmarkPrompts:
    """The prompts that a benchmark's format and the options of a dataset make of cases."""

    def __init__(self, benchmark: BenchmarkFormat, options: BenchmarkOptions) -> None:
        self._benchmark = benchmark
        self._options = options
        own = options.instruction
        self._of_file = instructions_of_file(own.file) if isinstance(own, InstructionFile) else {}

    def check(self, languages: Sequence[str]) -> None:
        """Raise UserError if instructions per language are asked for and a language has none."""
        for language in languages:
            self._instruction(language)

    def messages(self, case: BenchmarkQuestion, examples: Sequence[BenchmarkQuestion]) -> list[Message]:
        """Return the prompt of a case: examples and the question, after a system message if that says how to answer."""
        turns = [turn for example in examples for turn in self._example(example)]
        system: list[Message] = []
        if self._options.instruction_in == "system":
            system = [{"role": "system", "content": self._instruction(case.language)}]
        return [*system, *turns, self._question(case)]

    def _question(self, case: BenchmarkQuestion) -> Message:
        lines = "\n".join(f"{label}. {text}" for label, text in case.choices.items())
        hidden = {CHOICES} if not lines else set()
        hidden |= {INSTRUCTION} if self._options.instruction_in == "system" else set()
        shown = [part for part in self._benchmark.prompt.split("\n\n") if part.strip() not in hidden]
        parts = {"question": case.question, "choices": lines, "instruction": self._instruction(case.language)}
        return {"role": "user", "content": ColumnTemplate("\n\n".join(shown)).substitute(parts).strip()}

    def _example(self, case: BenchmarkQuestion) -> list[Message]:
        r"""Return an example as two turns: the question, and its worked solution with the answer, boxed or bare."""
        box = rf"\boxed{{{case.answer}}}" if self._benchmark.boxed else case.answer
        solution = (
            box if case.worked is None else case.worked if r"\boxed" in case.worked else f"{case.worked}\n\n{box}"
        )
        return [self._question(case), {"role": "assistant", "content": solution}]

    def _instruction(self, language: str) -> str:
        own, where = self._options.instruction, self._options.benchmark
        if isinstance(own, InstructionFile):
            return instruction_of(self._of_file, language, "instruction", own.file)
        if self._options.native_instruction:
            return instruction_of(native_instructions(), language, "native_instruction", where)
        return own or self._benchmark.instruct(language)
