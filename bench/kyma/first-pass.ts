// How long a Kyma with ten modules takes from its creation until it and its copy are Ready; beside it a bare loop that creates as many
// objects of the same sizes in the same API servers.
import { setTimeout as wait } from 'node:timers/promises'
import type { BareApi } from '../measure/bare-api.ts'
import { inParallel, secondsOf } from '../measure/load.ts'
import { cpuSeconds } from '../measure/process.ts'
import type { Audits, Request } from './audit.ts'
import { create } from './fleet.ts'
import { layerOf, modules, objectsOfModule, runtimeOf } from './objects.ts'
import { collectionOf, type Programs, type Stage } from './stage.ts'

export type FirstPass = {
  readonly seconds: number
  readonly bareSeconds: number
  readonly requests: readonly (Request & { readonly at: keyof Audits })[]
  /** Of host and relay, as the requests until everything is at rest. */
  readonly cpuSeconds: Readonly<Record<'host' | 'relay', number>>
}

/** What follows a Ready Kyma, such as calls for the last events. */
const restMilliseconds = 2_000

/** `n`: the number of the Kyma, which must be new. */
export const firstPass = async (stage: Stage, { host, relay }: Programs, n: number): Promise<FirstPass> => {
  const name = runtimeOf(n)
  const computed = () => ({ host: cpuSeconds(host.pid), relay: cpuSeconds(relay.pid) })
  const before = computed()
  const audits = Object.entries(stage.audits) as [keyof Audits, Audits[keyof Audits]][]
  const marks = audits.map(([at, audit]) => ({ at, audit, mark: audit.mark() }))
  const seconds = await secondsOf(async () => {
    await create(stage, n, modules.length)
    await untilReady(stage.plane.api, `${collectionOf('kymas')}/${name}`)
    await untilReady(stage.runtimes, `${collectionOf('kymas', name)}/default`)
  })
  await wait(restMilliseconds)
  const after = computed()
  const requests = marks.flatMap(({ at, audit, mark }) =>
    audit.requestsSince(mark).map(request => ({ ...request, at })),
  )
  const cost = { host: after.host - before.host, relay: after.relay - before.relay }
  return { seconds, bareSeconds: await secondsOf(() => bare(stage, n)), requests, cpuSeconds: cost }
}

const pollMilliseconds = 20

const untilReady = async (api: BareApi, path: string): Promise<void> => {
  while ((await stateAt(api, path)) !== 'Ready') await wait(pollMilliseconds)
}

const stateAt = async (api: BareApi, path: string): Promise<unknown> => {
  const object = await api.call('GET', path).catch(() => undefined)
  return (object?.status as { state?: string } | undefined)?.state
}

/** The Manifests and the catalogue, and what the modules bring. */
const bare = async ({ plane: { api }, runtimes }: Stage, n: number): Promise<void> => {
  const made = (where: string) => async (turn: number) => {
    const name = `bare-${n}-${turn}`
    const body = { metadata: { name }, data: { text: layerOf(name) } }
    await (where === 'bench' ? api : runtimes).call('POST', '/api/v1/namespaces/bench/configmaps', { body })
  }
  await inParallel(modules.length, 8, made('bench'))
  await inParallel(modules.length * (objectsOfModule + 2), 8, made('runtime'))
}
