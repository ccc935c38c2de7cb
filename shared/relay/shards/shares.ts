// Decides which shards a relay takes and gives back. Example: 8 shards and 3 living relays mean 3 shards each, rounded up. A relay with 4
// shards gives one shard back. A relay takes free shards until it has 3. Pure.

type Shares = { take: readonly number[]; giveBack: readonly number[] }

type ShardView = {
  me: string
  live: ReadonlySet<string>
  holders: readonly (string | undefined)[]
  /** Shards that this relay holds. After its own Lease expired, a relay holds no shards, although Leases may still name it. */
  held: ReadonlySet<number>
}

export const sharesOf = ({ me, live, holders, held }: ShardView): Shares => {
  const due = Math.ceil(holders.length / Math.max(1, live.size))
  const shards = holders.map((holder, shard) => ({ holder, shard }))
  const mine = shards.filter(({ holder, shard }) => holder === me && held.has(shard))
  const forgotten = shards.filter(({ holder, shard }) => holder === me && !held.has(shard))
  const free = shards.filter(({ holder }) => isFree(holder, live))
  return {
    take: [...forgotten, ...free].slice(0, Math.max(0, due - mine.length)).map(({ shard }) => shard),
    // Also gives back forgotten shards, because other relays do not take a shard whose Lease names a living relay.
    giveBack: [...mine, ...forgotten].slice(due).map(({ shard }) => shard),
  }
}

const isFree = (holder: string | undefined, live: ReadonlySet<string>): boolean =>
  holder === undefined || !live.has(holder)
