// Judges all steps of the bring-up in every call, from top to bottom. A step begins when the steps that it needs are ready. Objects that
// differ in the cluster are applied. The step is ready when all its objects are ready. Only the cluster stores the progress.
//
//   flowOf(steps, world, now).writes // what is to be applied now
//   flowOf(steps, world, now).waits // ['Etcd garden/virtual-garden-etcd-main: is not ready yet']
import type { PictureStep, Step } from '../../../shared/core/decisions/plan.ts'
import { isApplied } from '../../../shared/core/objects/applied.ts'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { imageFault } from '../desired/parts/images.ts'
import type { World } from '../world.ts'
import { findObject } from './objects.ts'
import { foreignContentFault, pruningSteps } from './ownership.ts'
import { waitText } from './readiness.ts'
import type { SecretConfigName } from './secrets/secret-configs.ts'
import { secretFaults } from './secrets/secret-faults.ts'
import { leftoverSecrets, missingSecrets, secretSteps } from './secrets/secret-steps.ts'

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

/** A row of the table in steps.ts. */
export type GardenStep = {
  readonly name: StepName
  /** Steps in earlier rows that must be ready before this step begins. */
  readonly needs: readonly StepName[]
  /** The step is skipped now. Steps that need this step do not wait for it. */
  readonly skipIf?: (world: World) => boolean
  /** Generated Secrets, created when the step begins. `objects` is called when all these Secrets and their bundles exist. */
  readonly secrets?: (world: World, now?: Date) => readonly SecretConfigName[]
  /** Containers whose images must be known. An unknown image is a fault of the step. */
  readonly images?: readonly string[]
  /** Why nothing of this step can be applied. Each fault names an object or a field. */
  readonly faults?: (world: World) => readonly string[]
  /** All objects of the step. Unchanged objects are not sent again. Called only when all needed steps are ready. */
  readonly objects: (world: World, now?: Date) => readonly KubeObject[]
  /** Changes of objects that do not belong to the step, such as a label on a user's Secret. The step is ready when no change is left. */
  readonly changes?: (world: World, now: Date) => readonly Step[]
  /** What the step waits for besides its objects: `Service istio-ingress/istio-ingressgateway: has no address yet`. */
  readonly waits?: (world: World) => readonly string[]
  /** The subset of `waits` that may take hours without being reported as a standstill. */
  readonly longWaits?: (world: World) => readonly string[]
}

const stepNames = [
  ...[
    'namespace',
    'crds',
    'authorities',
    'generic-kubeconfig',
    'resource-manager',
    'runtime-components',
    'nginx-ingress',
    'istio',
    'logging',
  ],
  ...['runtime-system', 'etcds', 'apiserver-service', 'apiserver-sni', 'apiserver', 'controller-manager'],
  ...['virtual-resource-manager', 'access', 'virtual-system', 'gardener-apiserver', 'gardener-control-plane'],
  'discovery-server',
  ...['observability', 'rotation'],
] as const

export type StepName = (typeof stepNames)[number]

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
