// The life of so many Components with so many dependents each: made, called again with nothing to do, changed, deleted. Beside it the
// same objects applied by a bare loop.
import type { Key } from '../../shared/core/objects/object.ts'
import { atOnce } from '../../shared/kube/at-once.ts'
import type { BareApi } from '../measure/bare-api.ts'
import { collection, configMap, nameOf } from '../measure/config-maps.ts'
import { inParallel, secondsOf } from '../measure/load.ts'
import { progress } from '../measure/report.ts'
import { applied, component, componentsIn, furnish, keysOf, nextRound } from './objects.ts'
import { isGone, isReady, type Sighting, watchComponents } from './seen.ts'
import type { Cost, Stage } from './stage.ts'

export type Size = { readonly components: number; readonly dependents: number }

export const stages = ['create', 'idle', 'update', 'delete'] as const

export type StageName = (typeof stages)[number]

export type Measured = { readonly seconds: number; readonly before: Cost; readonly after: Cost }

export type Life = Size & {
  /** Objects a second of the bare loop, making them and changing them. */
  readonly bare: { readonly create: number; readonly update: number }
  readonly stages: Readonly<Record<StageName, Measured>>
}

const inFlight = 16
const merge = 'application/merge-patch+json'

export const life = async (stage: Stage, size: Size): Promise<Life> => {
  const { api } = stage.cluster
  const all = size.components * size.dependents
  const keys = keysOf(`c${size.components}x${size.dependents}`, size.components)
  const each = (call: (key: Key) => Promise<unknown>) =>
    atOnce(
      keys.map(key => () => call(key)),
      inFlight,
    )
  await furnish(api, keys)
  const bare = await bareLoop(stage.bare, all)
  const measured = async (name: StageName, work: () => Promise<unknown>): Promise<Measured> => {
    progress(`${size.components} × ${size.dependents}: ${name}`)
    const before = await stage.cost()
    const seconds = await secondsOf(work)
    return { seconds, before, after: await stage.cost() }
  }
  const seen = async (isDone: (sighting: Sighting) => boolean, call: (key: Key) => Promise<unknown>) => {
    const watch = await watchComponents(api)
    const done = watch.until(keys.length, isDone)
    await each(call)
    await done
  }
  const create = await measured('create', () =>
    seen(isReady, key => api.call('POST', componentsIn(key.namespace), { body: component(key, size.dependents) })),
  )
  const idle = await measured('idle', () => each(stage.call))
  const update = await measured('update', () =>
    seen(isReady, key => api.call('PATCH', pathOf(key), { body: nextRound(1), contentType: merge })),
  )
  const gone = await measured('delete', () => seen(isGone, key => api.call('DELETE', pathOf(key))))
  return { ...size, bare, stages: { create, idle, update, delete: gone } }
}

const pathOf = ({ namespace, name }: Key): string => `${componentsIn(namespace)}/${name}`

/** Applied by a manager of its own, so many at once as the engine has under way for one Component; gone afterwards. */
const bareLoop = async (api: BareApi, count: number): Promise<Life['bare']> => {
  progress(`bare loop over ${count}`)
  const round = (number: number) =>
    secondsOf(() =>
      inParallel(count, inFlight, n =>
        applied(api, `${collection}/${nameOf('bare', n)}`, configMap(nameOf('bare', n), number)),
      ),
    )
  const [create, update] = [await round(0), await round(1)]
  await inParallel(count, inFlight, n => api.call('DELETE', `${collection}/${nameOf('bare', n)}`))
  return { create: count / create, update: count / update }
}
