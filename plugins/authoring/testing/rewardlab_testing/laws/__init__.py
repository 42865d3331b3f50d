"""The laws of components: a function each, which returns how many cases it saw or raises what is wrong.

In goes a ComponentUnderTest of `harness/`: a component with the options of one example. Each module below has LAWS by
name.

    run_laws                           all laws of a component, one after the other
    reward_laws/                       the laws of rewards
    judge_laws, judge_secrets          the laws of judges
    dataset_laws, step_laws            the laws of datasets and of data steps
    curriculum_laws, sampler_laws      the laws of curricula: of an order, and of a group sampler
    normalizer_laws, normalizer_cases  the laws of normalizers, and the cases for them
"""
