// garden-reconcile in a simulated runtime cluster: applied objects become ready from one pass to the next, as operators and the resource
// manager would make them. The process dies after any number of steps where a test says so, and another goes on.
import { decide } from '../../functions/garden-reconcile/decide.ts'
import { report } from '../../functions/garden-reconcile/report.ts'
import { kindText } from '../../functions/garden-reconcile/rules/objects.ts'
import { isOurs } from '../../functions/garden-reconcile/rules/ours.ts'
import type { World } from '../../functions/garden-reconcile/world.ts'
import type { Garden } from '../../shared/core/garden.ts'
import { isMap } from '../../shared/core/json.ts'
import { type KubeObject, refOf } from '../../shared/core/object.ts'
import type { Next, Step, StepResult } from '../../shared/core/plan.ts'
import { fixedSecretData } from '../make/fixed-secret-data.ts'
import { gardenWorld } from '../make/garden-world.ts'
import { SimulatedWorld } from './simulated-world.ts'

export type GardenPass = { readonly steps: readonly Step[]; readonly next: Next; readonly garden: Garden | undefined }

export class SimulatedGarden {
  readonly cluster: SimulatedWorld
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
    return gardenWorld({ ...(garden && { garden }), runtime: Map.groupBy(this.cluster.objects, kindText) })
  }

  /** One pass; it dies before its status is saved when it has done so many steps. Undefined when the Garden is gone. */
  pass(dieAfterSteps = Number.POSITIVE_INFINITY): GardenPass | undefined {
    if (!this.garden) return undefined
    const now = new Date(Date.parse('2026-03-01T12:00:00Z') + this.#seconds++ * 1_000)
    const { world } = this
    const plan = decide(world, now)
    const results: StepResult[] = []
    for (const step of plan.steps) {
      if (results.length >= dieAfterSteps) return { steps: plan.steps, next: plan.next, garden: this.garden }
      results.push({ step, changed: this.#perform(step) })
    }
    const told = report(world, plan, results, now)
    this.cluster.patchStatus(this.#key, told.status)
    return { steps: plan.steps, next: told.next ?? plan.next, garden: this.garden }
  }

  /** What operators do meanwhile. */
  grow(): void {
    for (const object of this.cluster.objects) {
      const [status, more] = [statuses[object.kind], additions[`${object.kind} ${object.metadata.name}`]]
      const taken = takenUp(object)
      if (status && (object.status === undefined || taken !== object)) this.cluster.put({ ...taken, status })
      if (isOurs(object)) for (const one of more ?? []) if (!this.cluster.get(refOf(one))) this.cluster.put(one)
    }
  }

  #perform(step: Step): boolean {
    const before = 'object' in step ? this.cluster.get(refOf(step.object)) : undefined
    if (step.do === 'createSecret') {
      if (!before) this.cluster.put({ ...step.object, data: fixedSecretData(step.recipe) })
      return !before
    }
    const done = this.cluster.perform(step.do === 'apply' ? { ...step, object: asApplied(step.object) } : step)
    if (!done) throw new Error('a step was refused')
    const after = 'object' in step ? this.cluster.get(refOf(step.object)) : undefined
    return !after || after.metadata.resourceVersion !== before?.metadata.resourceVersion
  }
}

/** As an API server notes what a manager applied; lists count as a whole. */
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

const statuses: Readonly<Record<string, object>> = {
  Deployment: {
    ...{ observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: 2 },
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

/** As etcd-druid leaves it: the request is off once it works at it. */
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
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'garden' } },
})

/** What comes with an object. */
const additions: Readonly<Record<string, readonly KubeObject[]>> = {
  'ManagedResource gardener-admission-controller-runtime': [deployment('gardener-admission-controller')],
  'ManagedResource virtual-garden-istio': [
    {
      ...{ apiVersion: 'v1', kind: 'Service', status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } },
      metadata: { name: 'istio-ingressgateway', namespace: 'virtual-garden-istio-ingress' },
    },
  ],
  'ManagedResource gardener-apiserver-runtime': [
    deployment('gardener-apiserver'),
    {
      ...{ apiVersion: 'v1', kind: 'Service', spec: { clusterIP: '10.2.0.7' } },
      metadata: { name: 'gardener-apiserver', namespace: 'garden' },
    },
  ],
}
