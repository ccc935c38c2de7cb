// What a runtime in trouble costs the others: labels of their Kymas are changed at a steady pace, and each counts until the copy in its
// runtime has the new one. In turns all is well, one runtime cannot be reached, it is silent, and it lets nobody in.
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { kymaKind } from '../../shared/api/kyma.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { eventsIn } from '../measure/bare-api.ts'
import { progress } from '../measure/report.ts'
import type { Trouble } from '../programs/namespaces-as-runtimes.ts'
import { runtimeOf } from './objects.ts'
import { collectionOf, type Stage } from './stage.ts'

export type Neighbours = {
  readonly trouble: Trouble | 'none'
  /** Of the others. */
  readonly changes: number
  readonly p50: number
  readonly p99: number
  /** What the Kyma of the runtime in trouble says, which is empty where there is none. */
  readonly says: string
}

type Load = { readonly kymas: number; readonly perSecond: number; readonly seconds: number }

const rounds = 2
const label = 'kyma-project.io/global-account-id'

/** The runtime of the first Kyma has the trouble. */
export const neighbours = async (stage: Stage, load: Load): Promise<Neighbours[]> => {
  const copies = await followCopies(stage)
  const all = new Map<Trouble | 'none', { histogram: RecordableHistogram; says: string }>()
  for (let round = 0; round < rounds; round++)
    for (const trouble of ['none', 'down', 'silent', 'unauthorized'] as const) {
      progress(`neighbours of a runtime, its trouble: ${trouble}`)
      const one = all.get(trouble) ?? { histogram: createHistogram({ figures: 3 }), says: '' }
      if (trouble !== 'none') await stage.proxy.ask('trouble', runtimeOf(0), trouble)
      await changes(stage, { ...load, seconds: load.seconds / rounds }, { copies, histogram: one.histogram })
      const says = trouble === 'none' ? '' : await told(stage)
      all.set(trouble, { ...one, says })
      await stage.proxy.ask('trouble', runtimeOf(0), undefined)
      while (await troubleOf(stage)) await wait(500)
    }
  copies.end()
  return [...all].map(([trouble, { histogram, says }]) => ({
    trouble,
    says,
    changes: histogram.count,
    p50: histogram.percentile(50) / 1_000,
    p99: histogram.percentile(99) / 1_000,
  }))
}

const toldSeconds = 30

/** What the Kyma says of the trouble, some seconds later at most. */
const told = async (stage: Stage): Promise<string> => {
  for (const until = Date.now() + toldSeconds * 1_000; ; await wait(500)) {
    const says = await troubleOf(stage)
    if (says !== '' || Date.now() > until) return says
  }
}

const troubleOf = async ({ plane: { api } }: Stage): Promise<string> => {
  const { status } = await api.call('GET', `${collectionOf('kymas')}/${runtimeOf(0)}`)
  const { state, lastOperation } = status as { state: string; lastOperation: { operation: string } }
  return state === 'Ready' ? '' : lastOperation.operation
}

type Copies = { has(runtime: string, value: string): Promise<void>; end(): void }
type Counting = { readonly copies: Copies; readonly histogram: RecordableHistogram }

let turns = 0

/** The one in trouble is changed as often as each of the others. */
const changes = async (stage: Stage, { kymas, perSecond, seconds }: Load, { copies, histogram }: Counting) => {
  const underWay: Promise<void>[] = []
  const began = performance.now()
  for (let n = 0; n < perSecond * seconds; n++) {
    const early = (n * 1_000) / perSecond - (performance.now() - began)
    if (early > 1) await wait(early)
    const runtime = runtimeOf(turns % kymas)
    const value = `turn-${turns++}`
    const changed = performance.now()
    const isThere = copies.has(runtime, value)
    await change(stage, runtime, value)
    if (runtime !== runtimeOf(0))
      underWay.push(isThere.then(() => histogram.record(Math.round((performance.now() - changed) * 1_000))))
  }
  await change(stage, runtimeOf(0), `turn-${turns++}`)
  await Promise.all(underWay)
}

const change = async ({ plane: { api } }: Stage, runtime: string, value: string): Promise<void> => {
  const body = { metadata: { labels: { [label]: value } } }
  const contentType = 'application/merge-patch+json'
  await api.call('PATCH', `${collectionOf('kymas')}/${runtime}`, { body, contentType })
}

/** Hears of all copies from now on. */
const followCopies = async ({ runtimes }: Stage): Promise<Copies> => {
  const waiting = new Map<string, () => void>()
  const ending = new AbortController()
  const stream = await runtimes.stream(`/apis/${kymaKind.apiVersion}/kymas?watch=1`, ending.signal)
  const follow = async (): Promise<void> => {
    for await (const { object } of eventsIn<{ object: KubeObject }>(stream)) {
      const { namespace, labels } = object.metadata
      const told = `${namespace} ${labels?.[label]}`
      waiting.get(told)?.()
      waiting.delete(told)
    }
  }
  void follow().catch(error => {
    if (!ending.signal.aborted) progress(`copies are no longer watched: ${error}`)
  })
  return {
    has: (runtime, value) => new Promise(resolve => waiting.set(`${runtime} ${value}`, resolve)),
    end: () => ending.abort(),
  }
}
