// Watchers of one collection that count what they are told while others write, and how long it takes until everybody
// has been told of every change.
import type { BareApi } from './bare-api.ts'
import { collection, configMap, nameOf } from './config-maps.ts'
import { inParallel } from './load.ts'

export type Watched = { readonly changes: number; readonly seconds: number; readonly eventsPerSecond: number }

const objects = 100
const writers = 16

/** `changes` of a hundred objects under so many watchers. */
export const watched = async (api: BareApi, watchers: number, changes: number): Promise<Watched> => {
  const { metadata } = (await api.call('GET', `${collection}?limit=1`)) as { metadata: { resourceVersion: string } }
  const path = `${collection}?watch=1&resourceVersion=${metadata.resourceVersion}`
  const counting = new AbortController()
  const streams = await Promise.all(Array.from({ length: watchers }, () => api.stream(path, counting.signal)))
  const began = performance.now()
  const told = streams.map(stream => untilTold(stream, changes))
  await inParallel(changes, writers, turn =>
    api.call('PATCH', `${collection}/${nameOf('listed', turn % objects)}`, change(turn)),
  )
  await Promise.all(told)
  const seconds = (performance.now() - began) / 1000
  counting.abort()
  return { changes, seconds, eventsPerSecond: (changes * watchers) / seconds }
}

let round = 1

const change = (turn: number) => ({
  body: { data: configMap('', ++round * 1_000_000 + turn).data },
  contentType: 'application/merge-patch+json',
})

const newline = 0x0a

/** Each event is a line. */
const untilTold = async (stream: AsyncIterable<Uint8Array>, changes: number): Promise<void> => {
  let lines = 0
  for await (const bytes of stream) {
    for (const byte of bytes) if (byte === newline) lines++
    if (lines >= changes) return
  }
  throw new Error(`a watch ended after ${lines} of ${changes} events`)
}
