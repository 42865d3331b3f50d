"""Processes in which rewards, models and data steps run, of which any can hang, crash or be killed.

In go a reward, or a Python file that holds a model, and what they are asked: completions with their samples, or
questions in JSON. Out come scores or answers, or an error that says what became of the process. A process that dies, or
passes its deadline or its memory limit, is replaced, and none outlives the job.

    reward_pool   the processes of one reward that declares runs="worker"
    shared        worker files that several components share, so that no model is in memory twice
    crew          up to n processes, the threads that wait for them, and what is done about their deaths
    output        what processes print, as the user sees it
    process       one process as the host sees it: command, messages, deadlines, end
    program       the program that runs in the process
    placement     the environment, device and threads of a component's processes
    devices       the torch device, found out without torch
    environments  managed environments, built from a requirements file where they are first needed
"""
