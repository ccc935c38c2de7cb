// Reads the facts of an Istio stage by stage. The parts of a stage decide whether the next stage is read, so `decide` only collects their
// decisions.
import { istioNames } from '../../shared/api/istio/names.ts'
import { istioKind } from '../../shared/api/istio.ts'
import { mapOrEmpty } from '../../shared/core/json/json.ts'
import type { Log } from '../../shared/core/log.ts'
import { type Key, type KubeObject, keyOf } from '../../shared/core/objects/object.ts'
import { reading } from '../../shared/kube/reading.ts'
import type { BegunCall, GatherContext } from '../../shared/runtime/context.ts'
import type { ChangeType, SeenMetrics } from '../../shared/runtime/definition.ts'
import { factsOf } from './gather/all-readers.ts'
import { type Charts, chartSets } from './io/charts.ts'
import { factsNeeded, type RunWorld, runBegins, withNextStage } from './parts/all-parts.ts'
import { istioRefusal, oldestIstio } from './rules/checks.ts'
import { istioFeatureMetrics, istioFeatures, istioStateSeen } from './rules/metrics.ts'
import type { RestartsTried } from './rules/restarts/pod-survey.ts'
import { keptInBy, withKeptStatus } from './rules/status.ts'
import type { IstioSettings } from './settings.ts'
import type { Facts, Istio, PartName, World } from './world.ts'

export type IstioCall = {
  readonly now: () => Date
  readonly log: Log
  readonly charts: Charts
  readonly tried: RestartsTried
  /** The previous pass of this call. */
  readonly before: { pass?: RunWorld }
}

const { control } = istioNames.namespaces
const { prefix: reconcilerName } = istioNames

export const istioCall = (call: BegunCall): IstioCall => ({
  now: call.now,
  log: call.log,
  tried: new Map(),
  before: {},
  charts: chartSets(call, reconcilerName),
})

const listOfIstios = { ...istioKind, namespace: control, metadataOnly: true }

export const gather = async (
  object: KubeObject,
  context: GatherContext<IstioSettings>,
  call: IstioCall,
): Promise<RunWorld> => {
  const [keptIn, istios] = await Promise.all([keptInOf(object, context), reading(context.reads.list(listOfIstios))])
  const read = { ...object, spec: object.spec ?? {} } as Istio
  const istio = keptIn === 'status' ? read : withKeptStatus(read)
  const world: World = { istio, istios, keptIn, settings: context.settings, facts: {} }
  if (istioRefusal(world)) return { ...world, run: runBegins(istio) }
  const factsFor = (names: readonly PartName[], known: World) =>
    factsOf(names, { ...call, world: known, context, now: call.now(), before: call.before.pass })
  const pass = await readByStage(world, { now: call.now, read: factsFor })
  call.before.pass = pass
  return pass
}

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  namespace: '',
  name: istioNames.prefix,
}

/** If the status has our fields, the API server keeps them, so the CustomResourceDefinition need not be read. */
const keptInOf = async ({ status }: KubeObject, { reads }: GatherContext): Promise<World['keptIn']> =>
  mapOrEmpty(status).observedGeneration === undefined ? keptInBy(await reads.get(definition)) : 'status'

type Reader = {
  readonly now: () => Date
  readonly read: (names: readonly PartName[], world: World) => Promise<Facts>
}

/** Reads and decides stage by stage, until a part writes or holds. */
export const readByStage = async (begun: World, { now, read }: Reader): Promise<RunWorld> => {
  let world: RunWorld = { ...begun, run: runBegins(begun.istio) }
  for (let names = factsNeeded(world.run); names.length > 0; names = factsNeeded(world.run)) {
    const facts = { ...world.facts, ...(await read(names, world)) }
    world = { ...world, facts, run: withNextStage(world.run, { ...world, facts }, now()) }
  }
  return world
}

/** The metrics of Istios, read at each scrape. */
export const seenIstio: SeenMetrics = {
  metrics: istioFeatureMetrics,
  read: async ({ reads }) => {
    const istios = await reads.list({ ...istioKind, namespace: istioNames.namespaces.control, fromCache: true })
    const features = istios.length === 0 ? [] : istioFeatures((oldestIstio(istios) as Partial<Istio>).spec ?? {})
    return [...features, ...istios.flatMap(istio => istioStateSeen(istio as Istio))]
  },
}

/** A change of an object of these kinds concerns the mesh, so all Istios are called. */
const kindsOfAll = ['ConfigMap', 'EnvoyFilter']

const ownNamespaces: readonly string[] = Object.values(istioNames.namespaces)

/**
 * After the deletion of an Istio, all Istios are called, because another Istio may now be the oldest. A change of an object with the
 * module's label calls the oldest Istio, but only in our namespaces: elsewhere any user can set the label.
 */
export const istiosConcerned = async (
  object: KubeObject,
  { reads }: GatherContext,
  change: ChangeType,
): Promise<Key[]> => {
  const isIstio = object.kind === istioKind.kind
  if (isIstio ? change !== 'DELETED' : !ownNamespaces.includes(object.metadata.namespace ?? '')) return []
  const istios = await reads.list({ ...istioKind, metadataOnly: true })
  if (isIstio || kindsOfAll.includes(object.kind)) return istios.map(keyOf)
  const candidates = istios.filter(({ metadata }) => metadata.namespace === istioNames.namespaces.control)
  return candidates.length === 0 ? [] : [keyOf(oldestIstio(candidates))]
}
