"""Studies of rewards and runs, each behind a command; nothing but the commands imports them.

In go plans, rows with completions and what runs and `score` wrote. Out come results that the commands print or write.

    causes           which components moved the reward: `rewardlab causes`, `rewardlab check`
    compare          two rewards on the same completions: `rewardlab compare`
    judge_agreement  judges measured on rows with gold: `rewardlab judge`
    judge_benchmarks judges measured on published benchmarks: `rewardlab judge --benchmark`
    ledger           every completion of a run as a row of a table: `rewardlab ledger`
    probe            degenerate completions beside an honest one: `rewardlab probe`
    report           one page about a run: `rewardlab report`, `rewardlab run`
"""
