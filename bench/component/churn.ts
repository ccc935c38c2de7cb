// Hours of changes to Components and to their dependents, one after the other in an order that a seed decides, and what must be there in the end.
import { setTimeout as wait } from 'node:timers/promises'
import type { Key } from '../../shared/core/objects/object.ts'
import { seededRandom } from '../../tests/faults/proxy/rules.ts'
import { type BareApi, barePages } from '../measure/bare-api.ts'
import { nameOf } from '../measure/config-maps.ts'
import { component, components, componentsIn, furnish, keysOf, nextRound } from './objects.ts'

export const size = { components: 300, dependents: 4 }

/** What the cluster must have in the end, even if requests failed. */
type Expected = { readonly key: Key; round: number; exists: boolean; changedAt: number }

export type Churn = {
  /** Changes something, ten times a second, until the signal. */
  run(signal: AbortSignal): Promise<void>
  changes(): number
  /** Components that are not as they must be, though nobody touched them for so long. */
  stuck(seconds: number): Promise<string[]>
  /** ConfigMaps that are absent, too many, or of another content than they must have. */
  wrongDependents(): Promise<string[]>
}

const millisecondsBetween = 100
const merge = 'application/merge-patch+json'

export const churnOf = async (api: BareApi): Promise<Churn> => {
  const random = seededRandom(1)
  const all: Expected[] = keysOf('soak', size.components).map(key => ({ key, round: 0, exists: false, changedAt: 0 }))
  const byName = new Map(all.map(one => [one.key.name, one]))
  await furnish(
    api,
    all.map(({ key }) => key),
  )
  let changes = 0
  const change = async (): Promise<void> => {
    const one = all[Math.floor(random() * all.length)]
    const action = actions[Math.floor(random() * actions.length)]
    if (!one || !action) return
    one.changedAt = performance.now()
    await (one.exists ? action(api, one, random) : made(api, one))
    changes++
  }
  return {
    run: async signal => {
      const began = performance.now()
      for (let n = 0; !signal.aborted; n++) {
        const early = n * millisecondsBetween - (performance.now() - began)
        if (early > 1) await wait(early)
        await change()
      }
    },
    changes: () => changes,
    stuck: async seconds => {
      const found = new Map<string, ComponentNow>()
      for await (const { items } of barePages(api, components))
        for (const item of items as ComponentNow[]) found.set(item.metadata.name, item)
      const isOld = ({ changedAt }: Expected): boolean => performance.now() - changedAt > seconds * 1_000
      return all.filter(isOld).flatMap(one => componentFault(one, found.get(one.key.name)) ?? [])
    },
    wrongDependents: async () => {
      const absent = new Set(all.filter(({ exists }) => exists).flatMap(one => dependentsOf(one.key)))
      const wrong: string[] = []
      for await (const { items } of barePages(api, '/api/v1/configmaps'))
        for (const { metadata, data } of items as ConfigMap[]) {
          const owner = byName.get(/^(soak-\d+)-\d{5}$/.exec(metadata.name)?.[1] ?? '')
          if (!owner) continue
          if (!absent.delete(metadata.name)) wrong.push(`${metadata.name} is too many`)
          else if (data.round !== String(owner.round)) wrong.push(`${metadata.name} has round ${data.round}`)
        }
      return [...wrong, ...[...absent].map(name => `${name} is absent`)]
    },
  }
}

type ComponentNow = {
  readonly metadata: { readonly name: string; readonly generation: number; readonly deletionTimestamp?: string }
  readonly status?: { readonly state?: string; readonly observedGeneration?: number; readonly message?: string }
}

type ConfigMap = { readonly metadata: { readonly name: string }; readonly data: Readonly<Record<string, string>> }

const componentFault = ({ key, exists }: Expected, now: ComponentNow | undefined): string | undefined => {
  if (!exists) return now && `${key.name} is not gone: ${now.status?.message}`
  if (!now) return `${key.name} is absent`
  const { state, observedGeneration, message } = now.status ?? {}
  const isReady = state === 'Ready' && observedGeneration === now.metadata.generation
  return isReady ? undefined : `${key.name} is ${state}: ${message}`
}

const dependentsOf = ({ name }: Key): string[] => Array.from({ length: size.dependents }, (_, n) => nameOf(name, n))

const pathOf = ({ namespace, name }: Key): string => `${componentsIn(namespace)}/${name}`

type Action = (api: BareApi, one: Expected, random: () => number) => Promise<unknown>

const changed: Action = (api, one) => {
  one.round++
  return api.call('PATCH', pathOf(one.key), { body: nextRound(one.round), contentType: merge })
}

const deleted: Action = (api, one) => {
  one.exists = false
  return api.call('DELETE', pathOf(one.key))
}

/** If the deletion of the former Component has not ended yet, a later turn makes the new one. */
const made = async (api: BareApi, one: Expected): Promise<void> => {
  const body = component(one.key, size.dependents)
  await api.call('POST', componentsIn(one.key.namespace), { body }).then(
    () => {
      one.exists = true
      one.round = 0
    },
    (error: Error) => {
      if (!/: 409 /.test(error.message)) throw error
    },
  )
}

/** Somebody else writes a dependent or deletes it. While the Component has just been made, the dependent may be absent. */
const onDependent =
  (write: (api: BareApi, path: string) => Promise<unknown>): Action =>
  async (api, { key }, random) => {
    const name = nameOf(key.name, Math.floor(random() * size.dependents))
    await write(api, `/api/v1/namespaces/${key.namespace}/configmaps/${name}`).catch((error: Error) => {
      if (!/: 404 /.test(error.message)) throw error
    })
  }

const drifted = onDependent((api, path) =>
  api.call('PATCH', path, { body: { data: { round: 'of somebody else' } }, contentType: merge }),
)

const dependentDeleted = onDependent((api, path) => api.call('DELETE', path))

/** Each is as probable as it is listed. */
const actions: readonly Action[] = [changed, changed, changed, changed, changed, drifted, dependentDeleted, deleted]
