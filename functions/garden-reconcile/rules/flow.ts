// Judges all steps of the bring-up in every call, from top to bottom. A step begins when the steps that it needs are ready. Objects that
// differ in the cluster are applied. The step is ready when all its objects are ready. Only the cluster stores the progress.
//
//   flowOf(steps, world, now).writes // what is to be applied now
//   flowOf(steps, world, now).waits // ['Etcd garden/virtual-garden-etcd-main: is not ready yet']
import type { PictureStep } from '../../../shared/core/decisions/picture.ts'
import type { Step } from '../../../shared/core/decisions/plan.ts'
import { isApplied } from '../../../shared/core/objects/applied.ts'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { imageFault } from '../desired/parts/images.ts'
import type { World } from '../world.ts'
import { foreignContentFault } from './foreign-secrets.ts'
import { findObject } from './objects.ts'
import { pruningSteps } from './pruning.ts'
import { waitText } from './readiness.ts'
import { leftoverSecrets } from './secrets/leftover-secrets.ts'
import { secretFaults } from './secrets/secret-faults.ts'
import type { SecretConfigName } from './secrets/secret-names.ts'
import { missingSecrets, secretSteps } from './secrets/secret-steps.ts'
import type { GardenStep } from './step.ts'

export const fieldManager = 'garden-reconcile'

export type Flow = {
  /** Writes of missing or different objects, for all steps that have begun. */
  readonly writes: readonly Step[]
  /** Number of steps that are ready. Skipped steps do not count. */
  readonly ready: number
  /** The share of ready steps in percent, rounded down. */
  readonly percent: number
  readonly waits: readonly string[]
  readonly longWaits?: readonly string[]
  /** Why steps cannot be applied. Each fault ends when a user creates or corrects an object. */
  readonly faults: readonly string[]
  /** Absent: the Garden is being deleted. */
  readonly picture?: readonly PictureStep[]
}

export const flowOf = (rows: readonly GardenStep[], world: World, now: Date): Flow => {
  const counted = rows.filter(({ skipIf }) => !skipIf?.(world))
  const unready = new Set<string>(counted.map(({ name }) => name))
  const begun: Judged[] = []
  const judgedSteps = new Map<string, Judged>()
  for (const row of counted) {
    if (row.needs.some(name => unready.has(name))) continue
    const judged = judge(row, world, now)
    begun.push(judged)
    judgedSteps.set(row.name, judged)
    if (isReady(judged)) unready.delete(row.name)
  }
  const ready = counted.length - unready.size
  const percent = counted.length === 0 ? 100 : Math.floor((100 * ready) / counted.length)
  const all = (part: 'waits' | 'longWaits' | 'faults') => [...new Set(begun.flatMap(judged => judged[part]))]
  const writes = begun.flatMap(({ writes }) => writes)
  const declared = () => begun.flatMap(({ objects }) => objects)
  const isThrough = unready.size === 0 && writes.length === 0
  const requested = counted.flatMap(row => row.secrets?.(world, now) ?? [])
  const pruning = () => [...pruningSteps(world, declared(), fieldManager), ...leftovers(world, requested, now)]
  return {
    ready,
    percent,
    writes: isThrough ? pruning() : writes,
    waits: all('waits'),
    longWaits: all('longWaits'),
    faults: all('faults'),
    picture: rows.map(row => pictured(row, { isCounted: counted.includes(row), judged: judgedSteps.get(row.name) })),
  }
}

type Pictured = { readonly isCounted: boolean; readonly judged: Judged | undefined }

const pictured = ({ name, needs }: GardenStep, { isCounted, judged }: Pictured): PictureStep => ({
  name,
  needs,
  is: !isCounted ? 'skipped' : judged === undefined ? 'blocked' : isReady(judged) ? 'ready' : 'open',
  waits: judged ? [...judged.faults, ...judged.waits] : [],
})

type Judged = Required<Pick<Flow, 'writes' | 'waits' | 'longWaits' | 'faults'>> & {
  readonly objects: readonly KubeObject[]
  readonly changes: readonly Step[]
}

const isReady = ({ waits, faults, changes }: Judged): boolean => waits.length + faults.length + changes.length === 0

const nothing: Judged = {
  writes: [],
  waits: [],
  longWaits: [],
  faults: [],
  objects: [],
  changes: [],
}

const judge = (row: GardenStep, world: World, now: Date): Judged => {
  const names = row.secrets?.(world, now) ?? []
  const broken = secretFaults(world, names)
  const writes = broken.length > 0 ? [] : secretSteps(world, names, now)
  const missing = missingSecrets(world, names)
  const waits = missing.map(name => `Secret ${name}: does not exist yet`)
  const faults = [
    ...broken,
    ...(row.images ?? []).flatMap(name => imageFault(world, name) ?? []),
    ...(row.faults?.(world) ?? []),
  ]
  if (waits.length + faults.length > 0) return { ...nothing, writes, waits, faults }
  const objects = row.objects(world, now)
  const foreign = objects.flatMap(wanted => foreignContentFault(world.runtime, wanted, fieldManager) ?? [])
  if (foreign.length > 0) return { ...nothing, writes, faults: foreign }
  const own = judgeObjects(objects, world)
  const changes = row.changes?.(world, now) ?? []
  return {
    ...nothing,
    objects,
    changes,
    writes: [...writes, ...own.writes, ...changes],
    waits: [...own.waits, ...(row.waits?.(world) ?? [])],
    longWaits: row.longWaits?.(world) ?? [],
  }
}

const judgeObjects = (objects: readonly KubeObject[], { runtime }: World): Pick<Flow, 'writes' | 'waits'> => {
  const compared = objects.map(wanted => ({ wanted, live: findObject(runtime, refOf(wanted)) }))
  return {
    writes: compared.flatMap(({ wanted, live }) =>
      live && isApplied(wanted, live, fieldManager) ? [] : [applied(wanted)],
    ),
    waits: objects.flatMap(wanted => waitText(wanted, runtime) ?? []),
  }
}

const leftovers = (world: World, requested: readonly SecretConfigName[], now: Date): Step[] =>
  leftoverSecrets(world, requested, now).map(target => ({ do: 'delete', target }))

/** A step owns all fields of its objects, so changes of other programs are overwritten (`force`). Namespaces are applied first. */
const applied = (object: KubeObject): Step => ({
  do: 'apply',
  object,
  force: true,
  ...(object.kind === 'Secret' && { isConfidential: true }),
  ...(object.kind === 'Namespace' && { order: -1 }),
})
