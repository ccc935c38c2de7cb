// What Components that wait for something outside cost the Components of other namespaces: others are changed at a steady pace, and each
// change counts until its Component is Ready again.
import { createHistogram } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { base64, kubeconfig } from '../../tests/harness/clients/kubeconfig.ts'
import { eventsIn } from '../measure/bare-api.ts'
import { progress } from '../measure/report.ts'
import { apiVersion, components, componentsIn } from './objects.ts'
import { isReady, type Sighting } from './seen.ts'
import type { Stage } from './stage.ts'

/** Where the Components of the attack lead, and in how many namespaces they are. */
export type Attack = {
  readonly name: string
  readonly namespaces: number
  /** `host:port` of registries, used in turn; or of one API server; none for Components that wait for nothing. */
  readonly hosts: readonly string[]
  readonly by: 'registry' | 'kubeconfig' | 'nothing'
}

export type Beside = { readonly attack: string; readonly changes: number; readonly p50: number; readonly p99: number }

export const attackers = 60
export const perSecond = 20
/** In so many namespaces. */
const others = { namespaces: 20, components: 200 }

export const neighbours = async (stage: Stage, attacks: readonly Attack[], seconds: number): Promise<Beside[][]> => {
  const ready = await followReady(stage)
  const changed = await begunOthers(stage, ready)
  const found: Beside[][] = []
  for (const [number, attack] of attacks.entries()) {
    progress(`alone, then ${attack.name}`)
    const alone = await measured(changed, { name: 'none', seconds })
    const end = await begunAttack(stage, attack, number)
    found.push([alone, await measured(changed, { name: attack.name, seconds })])
    await end()
  }
  ready.end()
  return found
}

type Change = (number: number) => Promise<void>

const measured = async (change: Change, { name, seconds }: { name: string; seconds: number }): Promise<Beside> => {
  const histogram = createHistogram({ figures: 3 })
  const underWay: Promise<void>[] = []
  const began = performance.now()
  for (let n = 0; n < perSecond * seconds; n++) {
    const early = (n * 1_000) / perSecond - (performance.now() - began)
    if (early > 1) await wait(early)
    const since = performance.now()
    underWay.push(change(n).then(() => histogram.record(Math.round((performance.now() - since) * 1_000))))
  }
  await Promise.all(underWay)
  const [p50, p99] = [50, 99].map(share => histogram.percentile(share) / 1_000) as [number, number]
  return { attack: name, changes: histogram.count, p50, p99 }
}

const manifest = (name: string, round: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { round: String(round) },
})

const placeOf = (n: number): string => `others-${n % others.namespaces}`

/** Makes them; the answer changes one of them and resolves when it is Ready again. */
const begunOthers = async ({ cluster: { api } }: Stage, ready: Ready): Promise<Change> => {
  await madeNamespaces(api, 'others', others.namespaces)
  const generations = Array.from({ length: others.components }, () => 1)
  const all = generations.map(async (_, n) => {
    const name = `other-${n}`
    const isReady = ready.at(name, 1)
    await api.call('POST', componentsIn(placeOf(n)), { body: component(name, { manifests: [manifest(name, 0)] }) })
    await isReady
  })
  await Promise.all(all)
  return async number => {
    const n = number % others.components
    const name = `other-${n}`
    const generation = (generations[n] ?? 0) + 1
    generations[n] = generation
    const isReady = ready.at(name, generation)
    await api.call('PATCH', `${componentsIn(placeOf(n))}/${name}`, {
      body: { spec: { source: { manifests: [manifest(name, generation)] } } },
      contentType: 'application/merge-patch+json',
    })
    await isReady
  }
}

const component = (name: string, source: object, more: object | false = {}) => ({
  apiVersion,
  kind: 'Component',
  metadata: { name, annotations: { 'component.core.espalier.dev/disable-events': 'true' } },
  spec: { source, requeueInterval: '24h', ...more },
})

type Api = Stage['cluster']['api']

const madeNamespaces = async (api: Api, prefix: string, count: number): Promise<void> => {
  for (let n = 0; n < count; n++)
    await api.call('POST', '/api/v1/namespaces', { body: { metadata: { name: `${prefix}-${n}` } } })
}

/** Makes the attack's Components all at once. The answer suspends them. */
const begunAttack = async (stage: Stage, attack: Attack, number: number): Promise<() => Promise<void>> => {
  const { api } = stage.cluster
  const prefix = `attack-${number}`
  await madeNamespaces(api, prefix, attack.namespaces)
  const all = Array.from({ length: attackers }, (_, n) => ({ place: `${prefix}-${n % attack.namespaces}`, n }))
  await Promise.all(all.map(({ place, n }) => madeAttacker(stage, attack, { place, name: `attacker-${n}`, n })))
  return async () => {
    const suspended = { body: { spec: { suspend: true } }, contentType: 'application/merge-patch+json' }
    await Promise.all(all.map(({ place, n }) => api.call('PATCH', `${componentsIn(place)}/attacker-${n}`, suspended)))
    await wait(restMilliseconds)
  }
}

/** Longer than a call of the attack lasts that waits for a silent server. */
const restMilliseconds = 12_000

type Attacker = { readonly place: string; readonly name: string; readonly n: number }

const madeAttacker = async ({ cluster }: Stage, { hosts, by }: Attack, { place, name, n }: Attacker): Promise<void> => {
  const host = hosts[n % hosts.length]
  if (by === 'kubeconfig') {
    const text = kubeconfig({ url: `https://${host}`, caData: cluster.caData }, { token: name })
    const secret = { metadata: { name }, data: { kubeconfig: base64(text) } }
    await cluster.api.call('POST', `/api/v1/namespaces/${place}/secrets`, { body: secret })
  }
  const made =
    by === 'registry'
      ? component(name, { kustomize: { oci: { repository: `${host}/attack/${name}`, tag: '1.0.0' } } })
      : component(
          name,
          { manifests: [manifest(name, 0)] },
          by === 'kubeconfig' && { kubeConfig: { secretRef: { name } } },
        )
  await cluster.api.call('POST', componentsIn(place), { body: made })
}

type Ready = {
  /** Resolves once the Component is Ready at this generation or a later one. */
  at(name: string, generation: number): Promise<void>
  end(): void
}

const followReady = async ({ bare }: Stage): Promise<Ready> => {
  const waiting = new Map<string, { generation: number; resolve(): void }[]>()
  const ending = new AbortController()
  const stream = await bare.stream(`${components}?watch=1`, ending.signal)
  const follow = async (): Promise<void> => {
    for await (const sighting of eventsIn<Sighting>(stream)) {
      const { name, generation } = sighting.object.metadata
      if (!isReady(sighting)) continue
      const all = waiting.get(name) ?? []
      waiting.set(
        name,
        all.filter(one => one.generation > generation),
      )
      for (const one of all) if (one.generation <= generation) one.resolve()
    }
  }
  void follow().catch(error => {
    if (!ending.signal.aborted) progress(`Components are no longer watched: ${error}`)
  })
  return {
    at: (name, generation) =>
      new Promise(resolve => waiting.set(name, [...(waiting.get(name) ?? []), { generation, resolve }])),
    end: () => ending.abort(),
  }
}
