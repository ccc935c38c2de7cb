// garden-reconcile in a simulated runtime cluster. Applied objects become ready from one pass to the next, as operators and the resource manager
// would make them. A test may let the process die after any number of steps, and another one goes on.
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import { decide } from '../../../functions/garden-reconcile/decide.ts'
import { report } from '../../../functions/garden-reconcile/report.ts'
import { kindText } from '../../../functions/garden-reconcile/rules/objects.ts'
import { isOurs } from '../../../functions/garden-reconcile/rules/ownership.ts'
import { neededVirtualKinds } from '../../../functions/garden-reconcile/rules/rotation/rotation-moves.ts'
import { virtualKindText } from '../../../functions/garden-reconcile/rules/rotation/virtual-objects.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import type { Next, Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import { isMap, mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { fixedSecretData } from '../../make/garden/fixed-secret-data.ts'
import { gardenWorld } from '../../make/garden/garden-world.ts'
import { SimulatedWorld } from '../simulated/simulated-world.ts'
import { resourceOf, SimulatedVirtualGarden } from './simulated-virtual-garden.ts'

/** The text with which a kind is asked for by its plural. */
const pluralText = (object: KubeObject): string =>
  object.apiVersion === 'v1' ? `${resourceOf(object)}.` : resourceOf(object)

export type GardenPass = { readonly steps: readonly Step[]; readonly next: Next; readonly garden: Garden | undefined }

export class SimulatedGarden {
  readonly cluster: SimulatedWorld
  readonly virtual = new SimulatedVirtualGarden()
  /** How many full snapshots were taken. */
  snapshots = 0
  readonly #key: ReturnType<typeof refOf>
  #seconds = 0

  constructor(garden: Garden, others: readonly KubeObject[] = []) {
    this.cluster = new SimulatedWorld([garden, ...others])
    this.#key = refOf(garden)
  }

  get garden(): Garden | undefined {
    return this.cluster.get(this.#key) as Garden | undefined
  }

  get world(): World {
    const garden = this.garden
    const world = gardenWorld({ ...(garden && { garden }), runtime: Map.groupBy(this.cluster.objects, kindText) })
    const needed = neededVirtualKinds(world).map(virtualKindText)
    const { objects } = this.virtual.cluster
    const found = [...Map.groupBy(objects, kindText), ...Map.groupBy(objects, pluralText)]
    const read = new Map(found.filter(([kind]) => needed.includes(kind)))
    return needed.length > 0 ? { ...world, virtual: { read } } : world
  }

  /** Makes one pass. The process dies after `dieAfterSteps` steps, before its status is saved. undefined: the Garden is gone. */
  pass(dieAfterSteps = Number.POSITIVE_INFINITY): GardenPass | undefined {
    if (!this.garden) return undefined
    const now = new Date(Date.parse('2026-03-01T12:00:00Z') + this.#seconds++ * 1_000)
    const { world } = this
    const plan = decide(world, now)
    const results: StepResult[] = []
    const died = () => ({ steps: plan.steps, next: plan.next, garden: this.garden })
    for (const step of plan.steps) {
      if (results.length >= dieAfterSteps) return died()
      results.push({ step, changed: this.#perform(step) })
    }
    if (plan.steps.length > 0 && results.length >= dieAfterSteps) return died()
    const told = report(world, plan, results, now)
    this.cluster.patchStatus(this.#key, told.status)
    for (const step of told.afterwards?.steps ?? []) this.#perform(step)
    return { steps: plan.steps, next: told.next ?? plan.next, garden: this.garden }
  }

  /** Does what operators do between two passes. */
  grow(): void {
    for (const object of this.cluster.objects) {
      const [status, more] = [statusOf(object), additions[`${object.kind} ${object.metadata.name}`]]
      const taken = takenUp(object)
      const isDue = object.status === undefined || taken !== object
      if (status && isDue && this.#isRolledOut(object)) this.cluster.put({ ...taken, status })
      if (isOurs(object)) for (const one of more ?? []) if (!this.cluster.get(refOf(one))) this.cluster.put(one)
      if (isTokenRequest(object)) this.cluster.put(withToken(object))
    }
    this.virtual.live()
  }

  /** Replicas of API servers come and go; for all other workloads a rollout takes a moment. */
  #isRolledOut(object: KubeObject): boolean {
    if (object.kind === 'ManagedResource' && object.metadata.name === 'gardener-apiserver-runtime')
      return this.#isContentRolledOut(object)
    const server = deployments[object.metadata.name]
    if (object.kind !== 'Deployment' || server === undefined) return true
    const name = mountedFileName(object)
    const file = name && this.cluster.get({ apiVersion: 'v1', kind: 'Secret', namespace: 'garden', name })
    return file ? this.virtual.roll(server, file) : true
  }

  /** The resource manager applies the Deployment and is healthy when that Deployment has rolled out. */
  #isContentRolledOut({ spec }: KubeObject): boolean {
    const [ref] = mapsIn(mapOrEmpty(spec).secretRefs)
    const secret = this.cluster.get({ apiVersion: 'v1', kind: 'Secret', namespace: 'garden', name: String(ref?.name) })
    const text = mapOrEmpty(secret?.data)['deployment__garden__gardener-apiserver.yaml']
    const wanted = parse(Buffer.from(String(text), 'base64').toString()) as KubeObject
    const live = this.cluster.get(refOf(wanted))
    if (live && isDeepStrictEqual(live.spec, wanted.spec)) return live.status !== undefined
    this.cluster.put(wanted)
    return false
  }

  #perform(step: Step): boolean {
    if (step.on === 'virtual-garden') return this.#performThere(step)
    if (step.do === 'takeSnapshot') {
      this.snapshots++
      return false
    }
    const before = 'object' in step ? this.cluster.get(refOf(step.object)) : undefined
    if (step.do === 'createSecret') {
      if (!before) this.cluster.put({ ...step.object, data: fixedSecretData(step.recipe) })
      return !before
    }
    const done = this.cluster.perform(step.do === 'apply' ? { ...step, object: asApplied(step.object) } : step)
    if (!done) throw new Error('a step was refused')
    const after = 'object' in step ? this.cluster.get(refOf(step.object)) : undefined
    if (after?.status !== undefined && !isDeepStrictEqual(after.spec, before?.spec) && isRolled(after))
      this.cluster.put({ ...after, status: undefined })
    return !after || after.metadata.resourceVersion !== before?.metadata.resourceVersion
  }

  #performThere(step: Step): boolean {
    if (!this.virtual.cluster.perform(step)) throw new Error('a step in the virtual garden was refused')
    if ('target' in step) this.virtual.stored(this.virtual.cluster.get(refOf(step.target)) ?? step.target)
    return true
  }
}

const isRolled = ({ kind, metadata }: KubeObject): boolean =>
  (kind === 'Deployment' && deployments[metadata.name] !== undefined) || metadata.name === 'gardener-apiserver-runtime'

const deployments: Readonly<Record<string, 'kube-apiserver' | 'gardener-apiserver'>> = {
  'virtual-garden-kube-apiserver': 'kube-apiserver',
  'gardener-apiserver': 'gardener-apiserver',
}

const mountedFileName = ({ spec }: KubeObject): string | undefined => {
  const volumes = mapsIn(valueAt(spec, 'template', 'spec', 'volumes'))
  const name = valueAt(volumes.find(volume => volume.name === 'etcd-encryption-secret')?.secret, 'secretName')
  return name === undefined ? undefined : String(name)
}

const renewTime = 'serviceaccount.resources.gardener.cloud/token-renew-timestamp'

const isTokenRequest = ({ kind, metadata: { labels, annotations } }: KubeObject): boolean =>
  kind === 'Secret' &&
  labels?.['resources.gardener.cloud/purpose'] === 'token-requestor' &&
  annotations?.[renewTime] === undefined

const withToken = (secret: KubeObject): KubeObject => ({
  ...secret,
  metadata: { ...secret.metadata, annotations: { ...secret.metadata.annotations, [renewTime]: 'later' } },
})

/** The managed fields that an API server notes for what a manager applied. Lists count as a whole. */
export const asApplied = (object: KubeObject): KubeObject => {
  const { labels, annotations } = object.metadata
  const { apiVersion, kind: _, metadata: __, ...content } = object
  const fieldsV1 = fieldsOf({ ...content, metadata: { labels, annotations } })
  const entry = { manager: 'garden-reconcile', operation: 'Apply', apiVersion, fieldsV1 }
  return { ...object, metadata: { ...object.metadata, generation: 1, managedFields: [entry] } }
}

const fieldsOf = (value: unknown): object =>
  isMap(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([key, below]) => (below === undefined ? [] : [[`f:${key}`, fieldsOf(below)]])),
      )
    : {}

const condition = (type: string, status = 'True', reason = '') => ({ type, status, reason })

const statusOf = (object: KubeObject): object | undefined => {
  const replicas = mapOrEmpty(object.spec).replicas ?? 1
  const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas }
  return object.kind === 'Deployment' ? { ...statuses.Deployment, ...counts } : statuses[object.kind]
}

const statuses: Readonly<Record<string, object>> = {
  Deployment: {
    observedGeneration: 1,
    conditions: [condition('Available'), condition('Progressing', 'True', 'NewReplicaSetAvailable')],
  },
  Etcd: { observedGeneration: 1, ready: true },
  CustomResourceDefinition: { conditions: [condition('Established')] },
  ManagedResource: {
    observedGeneration: 1,
    conditions: [
      ...['ResourcesApplied', 'ResourcesHealthy'].map(type => condition(type)),
      condition('ResourcesProgressing', 'False'),
    ],
  },
}

/** The object after etcd-druid has begun to work on a request: the annotation is gone. */
const takenUp = (object: KubeObject): KubeObject => {
  const { 'gardener.cloud/operation': request, ...annotations } = object.metadata.annotations ?? {}
  if (object.kind !== 'Etcd' || request === undefined) return object
  const managedFields = (object.metadata.managedFields ?? []).map(entry => withoutRequest(entry as Entry))
  return { ...object, metadata: { ...object.metadata, annotations, managedFields } }
}

type Entry = { readonly fieldsV1: { readonly 'f:metadata': { readonly 'f:annotations': Record<string, unknown> } } }

const withoutRequest = ({ fieldsV1, ...entry }: Entry) => {
  const { 'f:gardener.cloud/operation': _, ...owned } = fieldsV1['f:metadata']['f:annotations']
  return { ...entry, fieldsV1: { ...fieldsV1, 'f:metadata': { ...fieldsV1['f:metadata'], 'f:annotations': owned } } }
}

const deployment = (name: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'garden' },
})

/** Objects that operators create for an object. */
const additions: Readonly<Record<string, readonly KubeObject[]>> = {
  'ManagedResource gardener-admission-controller-runtime': [deployment('gardener-admission-controller')],
  'ManagedResource virtual-garden-istio': [
    {
      apiVersion: 'v1',
      kind: 'Service',
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
      metadata: { name: 'istio-ingressgateway', namespace: 'virtual-garden-istio-ingress' },
    },
  ],
  'ManagedResource gardener-apiserver-runtime': [
    {
      apiVersion: 'v1',
      kind: 'Service',
      spec: { clusterIP: '10.2.0.7' },
      metadata: { name: 'gardener-apiserver', namespace: 'garden' },
    },
  ],
}
