// Kymas in numbers: made, and waited for until all of them are Ready with as many modules as they list.
import { setTimeout as wait } from 'node:timers/promises'
import { type BareApi, barePages } from '../measure/bare-api.ts'
import { inParallel, secondsOf } from '../measure/load.ts'
import { progress } from '../measure/report.ts'
import { kymaOf } from './objects.ts'
import { collectionOf, namespace, type Stage } from './stage.ts'

export type Fleet = { readonly kymas: number; readonly manifests: number }

/** 2,500 Kymas have 12,700 modules. */
const modulesEach = 12_700 / 2_500

export const modulesInFleet = (n: number): number => Math.floor((n + 1) * modulesEach) - Math.floor(n * modulesEach)

export const fleetOf = (kymas: number): Fleet => ({ kymas, manifests: Math.floor(kymas * modulesEach) })

/** Answers how long it took. `modulesOf`: how many modules the Kyma of this number lists. */
export const install = (stage: Stage, fleet: Fleet, modulesOf = modulesInFleet): Promise<number> =>
  secondsOf(async () => {
    const { api } = stage.plane
    const before = await statesOf(api)
    await inParallel(fleet.kymas, 8, n => create(stage, n, modulesOf(n)))
    await polled(async () => {
      const states = await statesOf(api)
      const [kymas, manifests] = [states.kymas - before.kymas, states.manifests - before.manifests]
      progress(`${kymas} of ${fleet.kymas} Kymas and ${manifests} of ${fleet.manifests} Manifests are Ready`)
      return kymas >= fleet.kymas && manifests >= fleet.manifests
    })
  })

/** Asks until the answer is true, for a twentieth of the time at most: the lists of a large fleet take seconds. */
export const polled = async (isSo: () => Promise<boolean>): Promise<void> => {
  for (let seconds = 0.1; ; ) {
    await wait(seconds * 20_000)
    const began = performance.now()
    if (await isSo()) return
    seconds = Math.max(0.1, (performance.now() - began) / 1000)
  }
}

/** The access Secret first, so that nothing waits for it. */
export const create = async ({ plane: { api }, reach }: Stage, n: number, modules: number): Promise<void> => {
  const [kyma, access] = kymaOf(n, modules, reach)
  await api.call('POST', `/api/v1/namespaces/${namespace}/secrets`, { body: access })
  await api.call('POST', collectionOf('kymas'), { body: kyma })
}

/** How many are Ready. */
const statesOf = async (api: BareApi): Promise<Fleet> => {
  const [kymas, manifests] = await Promise.all([readyIn(api, 'kymas'), readyIn(api, 'manifests')])
  return { kymas, manifests }
}

const readyIn = async (api: BareApi, plural: string): Promise<number> => {
  let count = 0
  for await (const { items } of barePages(api, collectionOf(plural)))
    count += items.filter(item => (item as { status?: { state?: string } }).status?.state === 'Ready').length
  return count
}
