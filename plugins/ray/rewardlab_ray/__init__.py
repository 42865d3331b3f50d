"""Parts of engines on Ray that belong to none of them: judges that many processes ask, and ledgers in shards.

leases         several processes ask the same judges: one lends their limits, each owns a part of the replies
ledger_shards  each process that scores writes a shard of the ledger, and an index joins them
"""
