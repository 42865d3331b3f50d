"""A recipe as a job of a cluster: `rewardlab launch`.

A recipe and a site file go in; scripts or manifests come out, which are submitted if that is asked, and a record by
which the job is found again.

command            the command, and what its flags ask for
site, site_values, site_file    the site file: its models, the sorts of values, and how it is read
variables          what the recipe reads of the environment, as the job has it
agreement          the recipe and the site as one job, or every reason why they are none
launch             that job, as every scheduler is told of it
pools, services    nodes, and the servers that are placed on them
script_files, scripts/  shell scripts, made of values in quotes and of files that are shell alone
slurm, kuberay, skypilot   what each scheduler is given
schedulers         the three by name: written, submitted, asked, stopped
shell              commands on this machine or, by ssh, on a cluster's
record             what is known of a job that was launched
balance            one address for several servers, on the job's head node
"""
