// Long flows as a table of steps that is judged again in every call. A call waits for nothing, and progress is kept nowhere but in the
// cluster: a call that is killed loses nothing, and a step that was undone is done again.
//
//   const steps: readonly FlowStep<World>[] = [
//     { name: 'etcds', needs: [], objects: etcds, waits: etcdsThatAreNotReady },
//     { name: 'apiserver', needs: ['etcds'], skipIf: isExternal, objects: apiserver, waits: noReadyReplica },
//   ]
//   flowProgress(steps, world) // what is to be applied now, how far it is, what it waits for
import type { KubeObject } from './object.ts'

export type FlowStep<World> = {
  readonly name: string
  /** Names of steps above this one: its objects are not applied before these are ready. */
  readonly needs: readonly string[]
  /** When this is true, the step does not count, and steps that need it do not wait for it. */
  readonly skipIf?: (world: World) => boolean
  readonly objects: (world: World) => readonly KubeObject[]
  /** What it waits for: `Etcd garden/main: is not ready yet`. It is ready when it waits for nothing. */
  readonly waits: (world: World) => readonly string[]
}

type FlowProgress = {
  /** The objects of all steps whose needs are ready, including steps that are ready: applying an unchanged object writes nothing. */
  readonly objects: readonly KubeObject[]
  /** The share of steps that are ready, without skipped ones; rounded down, so that 100 means all. */
  readonly percent: number
  /** What the steps wait for that have begun. */
  readonly waits: readonly string[]
  /** For people: `Waiting for Etcd garden/main: is not ready yet`; undefined when all is ready. */
  readonly text: string | undefined
}

/** Judges the steps from top to bottom. Each must come after those it needs, as flowFaults checks. */
export const flowProgress = <World>(steps: readonly FlowStep<World>[], world: World): FlowProgress => {
  const counted = steps.filter(({ skipIf }) => !skipIf?.(world))
  const unready = new Set(counted.map(({ name }) => name))
  const objects: KubeObject[] = []
  const waits: string[] = []
  for (const step of counted) {
    if (step.needs.some(name => unready.has(name))) continue
    objects.push(...step.objects(world))
    const waitsFor = step.waits(world)
    waits.push(...waitsFor)
    if (waitsFor.length === 0) unready.delete(step.name)
  }
  return { objects, waits, percent: percentOf(counted.length - unready.size, counted.length), text: textOf(waits) }
}

const percentOf = (ready: number, all: number): number => (all === 0 ? 100 : Math.floor((100 * ready) / all))

const textOf = (waits: readonly string[]): string | undefined =>
  waits.length === 0 ? undefined : `Waiting for ${waits.join('; ')}`

/** The faults of a table: steps that could never begin, and names that occur twice. */
export const flowFaults = (steps: readonly Pick<FlowStep<never>, 'name' | 'needs'>[]): string[] =>
  steps.flatMap(({ name, needs }, at) => {
    const above = steps.slice(0, at).map(step => step.name)
    return [
      ...(above.includes(name) ? [`${name} stands there twice`] : []),
      ...needs.filter(need => !above.includes(need)).map(need => `${name} needs ${need}, which is no step above it`),
    ]
  })
