// Somebody else who writes the same object all the time, honestly: only what is theirs, and never over a version they
// have not seen. They notice when something of theirs is taken away.
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { isMap } from '../../../shared/core/json/json.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import { isDeleting, type KubeObject, type ObjectRef } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { isConflict, isNotFound } from '../../../shared/kube/errors.ts'
import type { Turf } from '../scenario.ts'

export type Rival = {
  /** How often the rival has written. */
  writes(): number
  /** Stops; takes back what is on the object, and tells what was lost until then. */
  retreat(): Promise<string[]>
}

export type RivalOptions = {
  ref: ObjectRef
  /** Where writes take a few milliseconds; fewer where they take longer. */
  perSecond: number
  /** Fields of the status that are the rival's, different for each number. */
  status?: (n: number) => Record<string, unknown>
  leaves?: readonly Turf[]
}

const fieldManager = 'rival'
const finalizer = 'rival.example.com/hold'

/** Labels, annotations, status and a finalizer in turn, from now on until it retreats. */
export const newRival = (client: Client, options: RivalOptions): Rival => {
  const own: Belongings = { fields: {}, hasFinalizer: false }
  const taken = turnsOf(options)
  const lost: string[] = []
  const stop = new AbortController()
  let writes = 0
  const write = async (): Promise<void> => {
    const turn = taken[writes % taken.length] ?? label
    const object = await turn(client, options, { own, n: writes })
    if (!object) return
    writes++
    lost.push(...missingOf(own, object))
  }
  const run = keepWriting(write, { perSecond: options.perSecond, signal: stop.signal })
  return {
    writes: () => writes,
    retreat: async () => {
      stop.abort()
      await run
      const object = await client.get(options.ref)
      if (object) lost.push(...missingOf(own, object))
      if (object) await takeBack(client, options, object)
      return lost
    },
  }
}

/** What the rival has put on the object and expects to find there. */
type Belongings = { fields: Record<string, unknown>; hasFinalizer: boolean }

type Turn = (
  client: Client,
  options: RivalOptions,
  state: { own: Belongings; n: number },
) => Promise<KubeObject | undefined>

const merge = async (
  client: Client,
  ref: ObjectRef,
  { body, subresource }: { body: Record<string, unknown>; subresource?: string },
): Promise<KubeObject> => client.patch(ref, { type: 'merge', body }, { fieldManager, subresource })

const putting =
  (field: 'labels' | 'annotations'): Turn =>
  async (client, { ref }, { own, n }) => {
    const body = { metadata: { [field]: { [`rival.example.com/${n % 8}`]: `${n}` } } }
    const object = await merge(client, ref, { body })
    own.fields = mergePatched(own.fields, body) as Belongings['fields']
    return object
  }

const label = putting('labels')

const reporting: Turn = async (client, { ref, status }, { own, n }) => {
  if (!status) return label(client, { ref, perSecond: 0 }, { own, n })
  const body = { status: status(n) }
  const object = await merge(client, ref, { body, subresource: 'status' })
  own.fields = mergePatched(own.fields, body) as Belongings['fields']
  return object
}

/** Lists are replaced whole: so it writes only over the version that it has read. */
const holding: Turn = async (client, { ref }, { own }) => {
  const object = await client.get(ref)
  if (!object || (isDeleting(object) && !own.hasFinalizer)) return object
  const others = (object.metadata.finalizers ?? []).filter(name => name !== finalizer)
  const finalizers = own.hasFinalizer ? others : [...others, finalizer]
  const { resourceVersion } = object.metadata
  const after = await merge(client, ref, { body: { metadata: { resourceVersion, finalizers } } })
  own.hasFinalizer = !own.hasFinalizer
  return after
}

const turns: Readonly<Record<Turf, Turn>> = {
  labels: label,
  annotations: putting('annotations'),
  status: reporting,
  finalizers: holding,
}

const turnsOf = ({ leaves = [] }: RivalOptions): Turn[] =>
  Object.entries(turns).flatMap(([turf, turn]) => (leaves.includes(turf as Turf) ? [] : [turn]))

type Pace = { perSecond: number; signal: AbortSignal }

/**
 * Pauses are so many times as long as the writes before them, at least: where everything takes long, a rival without pauses
 * would be there between every read and write of others.
 */
const pausesPerWrite = 4

const keepWriting = async (write: () => Promise<void>, { perSecond, signal }: Pace): Promise<void> => {
  try {
    while (!signal.aborted) {
      const begun = performance.now()
      await unlessOvertaken(write)
      const tookMilliseconds = performance.now() - begun
      const restMilliseconds = 1000 / perSecond - tookMilliseconds
      await wait(Math.max(restMilliseconds, pausesPerWrite * tookMilliseconds), undefined, { signal })
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** Others are faster now and then, and the object may not be there yet or any more. */
const unlessOvertaken = async (write: () => Promise<void>): Promise<void> => {
  try {
    await write()
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error
  }
}

const missingOf = ({ fields, hasFinalizer }: Belongings, object: KubeObject): string[] => [
  ...(isDeepStrictEqual(mergePatched(object, fields), object)
    ? []
    : [`of ${JSON.stringify(fields)}: ${JSON.stringify(object)}`]),
  ...(hasFinalizer && !object.metadata.finalizers?.includes(finalizer) ? ['the finalizer'] : []),
]

const takeBack = async (client: Client, { ref, status }: RivalOptions, object: KubeObject): Promise<void> => {
  const { labels = {}, annotations = {}, finalizers = [] } = object.metadata
  const metadata = {
    labels: nothingIn(Object.keys(labels).filter(isOwn)),
    annotations: nothingIn(Object.keys(annotations).filter(isOwn)),
    finalizers: finalizers.filter(name => name !== finalizer),
  }
  const reported = status ? Object.keys(status(0)) : []
  if (isMap(object.status)) await merge(client, ref, { body: { status: nothingIn(reported) }, subresource: 'status' })
  await merge(client, ref, { body: { metadata } })
}

const isOwn = (name: string): boolean => name.startsWith('rival.example.com/')

const nothingIn = (fields: readonly string[]) => Object.fromEntries(fields.map(field => [field, null]))
