"""The code that runs inside of OpenRLHF's rollout engines: groups are gathered, generated and handed to the scorers.

executor                         what OpenRLHF loads and calls for every completion
group_barrier                    the members of a group meet; the first to start works for all
group_rollout                    one group from its prompt to its samples: generated, put to a scorer, rewarded
completions                      generating under a deadline, decoding beside the event loop
engine_samples                   what OpenRLHF gets back for each member
policy_questions                 questions of the judge policy/self
"""
