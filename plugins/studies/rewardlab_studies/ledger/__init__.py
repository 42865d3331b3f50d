"""The ledger of a run, for those who ask it: one flat row a completion, which any table library reads.

In go the lines that `training/ledger.py` writes, of this and earlier versions. Out come tables (`rewardlab ledger`)
and, for the studies beside this one, the lines themselves and which of them a resume has replaced.

    parts    where the lines stand: in one file, or in shards that indices join; other plugins may import it
    scan     the lines of a ledger, and which of them count
    columns  the columns of the flat table, found in a first reading
    table    the rows of the flat table
    export   one file of them: parquet, CSV or JSON lines

docs/ledger.md has the columns.
"""
