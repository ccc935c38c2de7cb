// The loops that the benchmarks of API servers and their clients run: read one, apply without a change, create, list. Written
// for the bare client and for ours, so that either can be set beside the other.
import type { Client } from '../../shared/kube/client-types.ts'
import { type BareApi, barePages } from './bare-api.ts'
import { collection, configMap, nameOf, namespace } from './config-maps.ts'
import { type Call, inParallel } from './load.ts'

export const operations = ['GET', 'apply, unchanged', 'create'] as const

export type Operation = (typeof operations)[number]

export type ApiLoops = Readonly<Record<Operation, Call>> & {
  /** Everything, page by page; answers how many there were. */
  list(): Promise<number>
}

export const listed = 5_000

const fieldManager = 'bench'
const kind = { apiVersion: 'v1', kind: 'ConfigMap' }

/** The object that is read at this turn: one of those that are there in any case. */
const readAt = (turn: number): string => nameOf('listed', turn % listed)

/** Makes what the loops read and apply. */
export const prepare = async (api: BareApi, count = listed): Promise<void> => {
  await inParallel(count, 32, n => api.call('POST', collection, { body: configMap(nameOf('listed', n)) }))
  await bareLoops(api, '')['apply, unchanged'](0)
}

/** `prefix` is for the names of what is created. */
export const bareLoops = (api: BareApi, prefix: string): ApiLoops => ({
  GET: turn => api.call('GET', `${collection}/${readAt(turn)}`),
  'apply, unchanged': () =>
    api.call('PATCH', `${collection}/applied?fieldManager=${fieldManager}`, {
      body: configMap('applied'),
      contentType: 'application/apply-patch+yaml',
    }),
  create: turn => api.call('POST', collection, { body: configMap(nameOf(prefix, turn)) }),
  list: async () => {
    let count = 0
    for await (const { items } of barePages(api, collection)) count += items.length
    return count
  },
})

export const clientLoops = (client: Client, prefix: string): ApiLoops => ({
  GET: turn => client.get({ ...kind, namespace, name: readAt(turn) }),
  'apply, unchanged': () => client.apply(configMap('applied'), { fieldManager }),
  create: turn => client.create(configMap(nameOf(prefix, turn)), { fieldManager }),
  list: async () => (await client.list({ ...kind, namespace })).length,
})
