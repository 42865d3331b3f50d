"""The sources of the viewer: a run's folder, also of one that goes on or was killed, or a file that `score` wrote.

Out come lines as a ledger has them, group by group, and sentences about what is broken: what is whole is shown.

    source       a folder or file as the page sees it
    run_folder   the folder of a run: results, logs, questions to judges, its ledger
    followed_run  the same, read as it grows
    scored_file  the output of `rewardlab score`, as lines
    labels       people's labels, found again in the lines
    judge_questions  what judges were asked about a group, made again, with the replies that were kept
    recorded_replies  the replies of a judge, as the files of a job have them
    columns      the numbers of all completions, in typed arrays
"""
