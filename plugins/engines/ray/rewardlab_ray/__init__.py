"""Parts of engines on Ray that belong to none of them: actors that score, jobs of a cluster.

scoring        the actors of an rl stage: one coordinator, and the scorers that hold the rewards
ray_actors     named actors of a job, as its other processes call them
messages       what these actors send each other; rendered_rows the samples that they read
user_lines     lines of any process for the terminal
stage_task     one training stage as a process of its job knows it; stage_prompts its prompts, rendered and in order
job            a stage as a job, on this machine or of a Ray cluster: started, checked, followed, started again
job_options    the options under `backend` that all of them have; own_distributions what an environment gets of ours
"""
