// StatefulSets: Pods with fixed names, created in order, deleted and replaced in reverse order.
import type { KubeObject } from '../../../core/objects/object.ts'
import { fieldsAt, type JsonMap, listAt, mapsAt, numberAt, textAt } from '../../value.ts'
import { claimed, ownedBy, ownersIn } from '../claims.ts'
import type { Context, Controller } from '../controller.ts'
import { controllerWorker } from '../controller-worker.ts'
import { claimCreated, type Member, memberCreated, memberDeleted, memberRefused } from '../node-events.ts'
import {
  created,
  currentRevision,
  forgetRevisions,
  hashIn,
  isAvailable,
  isEnded,
  isEnding,
  isReady,
  podOf,
  revisionLabel,
  revisionsOf,
  templateIn,
  untilAvailable,
} from './own-pods.ts'

const collection = 'apps/statefulsets'

export const statefulSets: Controller = {
  name: 'statefulset-controller',
  worker: controllerWorker('statefulset-controller'),
  collection,
  concerns: { pods: ownersIn(collection, 'StatefulSet') },
  reconcile: async (context, set) => {
    const update = await currentRevision(context, set)
    if (!update) return
    const plan = planOf(context, set, update)
    await claimed(context, set, 'pods')
    if (!isEnding(set)) await move(context, plan)
    await report(context, plan)
  },
}

type Plan = {
  readonly set: KubeObject
  readonly update: KubeObject
  /** The revision before the update. Pods below the partition have this revision. */
  readonly current: KubeObject
  readonly ordinals: readonly number[]
  readonly isParallel: boolean
}

const planOf = (context: Context, set: KubeObject, update: KubeObject): Plan => {
  const known = textAt(set, 'status', 'currentRevision')
  const start = numberAt(set, ['spec', 'ordinals', 'start'])
  return {
    set,
    update,
    current: revisionsOf(context, set).find(({ metadata }) => metadata.name === known) ?? update,
    ordinals: Array.from({ length: numberAt(set, ['spec', 'replicas'], 1) }, (_, index) => start + index),
    isParallel: textAt(set, 'spec', 'podManagementPolicy') === 'Parallel',
  }
}

const ordinalOf = ({ metadata }: KubeObject): number => Number(metadata.name.slice(metadata.name.lastIndexOf('-') + 1))

const move = async (context: Context, plan: Plan): Promise<void> => {
  const isOrdered = !plan.isParallel
  for (const ordinal of plan.ordinals) {
    const isThere = await ensure(context, plan, ordinal)
    if (!isThere && isOrdered) return
  }
  const extra = podsOf(context, plan).filter(pod => !plan.ordinals.includes(ordinalOf(pod)))
  for (const pod of extra) {
    if (!isEnding(pod)) await removeMember(context, plan, pod)
    if (isOrdered) return
  }
  if (extra.length === 0) await replaceOutdated(context, plan)
}

const podsOf = (context: Context, { set }: Plan): KubeObject[] =>
  ownedBy(context, set, 'pods').sort((left, right) => ordinalOf(right) - ordinalOf(left))

/** Whether the Pod of the ordinal runs and is available. Creates a missing Pod and deletes an ended Pod. */
const ensure = async (context: Context, plan: Plan, ordinal: number): Promise<boolean> => {
  const pod = podsOf(context, plan).find(each => ordinalOf(each) === ordinal)
  if (!pod) await createMember(context, plan, ordinal)
  else if (isEnded(pod) && !isEnding(pod)) await removeMember(context, plan, pod)
  else if (!isEnding(pod)) return isAvailable(context, pod, plan.set)
  return false
}

const partitionOf = (set: KubeObject): number => numberAt(set, ['spec', 'updateStrategy', 'rollingUpdate', 'partition'])

const createMember = async (context: Context, plan: Plan, ordinal: number): Promise<void> => {
  const { set } = plan
  const revision = ordinal < partitionOf(set) ? plan.current : plan.update
  const name = `${set.metadata.name}-${ordinal}`
  const member = { set, pod: name }
  for (const claim of claimsOf(set, name)) await ensureClaim(context, claim, member)
  const pod = podOf(set, templateIn(revision), {
    name,
    labels: {
      [revisionLabel]: revision.metadata.name,
      'statefulset.kubernetes.io/pod-name': name,
      'apps.kubernetes.io/pod-index': String(ordinal),
    },
    spec: podSpec(set, templateIn(revision), name),
  })
  await created(context, set, pod, { made: () => memberCreated(member), refused: why => memberRefused(member, why) })
}

const removeMember = async (context: Context, { set }: Plan, pod: KubeObject): Promise<void> => {
  await context.writes.remove(pod)
  context.record(set, memberDeleted({ set, pod: pod.metadata.name }))
}

const podSpec = (set: KubeObject, template: JsonMap | undefined, name: string): JsonMap => {
  const claims = claimTemplates(set).map(claim => textAt(claim, 'metadata', 'name'))
  const volumes = listAt(template, 'spec', 'volumes').filter(each => !claims.includes(textAt(each, 'name')))
  const own = claims.map(claim => ({ name: claim, persistentVolumeClaim: { claimName: `${claim}-${name}` } }))
  return { hostname: name, subdomain: textAt(set, 'spec', 'serviceName'), volumes: [...volumes, ...own] }
}

const claimTemplates = (set: KubeObject): JsonMap[] => mapsAt(set, 'spec', 'volumeClaimTemplates')

const claimsOf = (set: KubeObject, pod: string): JsonMap[] =>
  claimTemplates(set).map(claim => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      ...fieldsAt(claim, 'metadata'),
      name: `${textAt(claim, 'metadata', 'name')}-${pod}`,
      namespace: set.metadata.namespace,
      labels: { ...fieldsAt(claim, 'metadata', 'labels'), ...fieldsAt(set, 'spec', 'selector', 'matchLabels') },
    },
    spec: claim.spec,
  }))

const ensureClaim = async ({ store, writes, record }: Context, claim: JsonMap, member: Member): Promise<void> => {
  const name = textAt(claim, 'metadata', 'name')
  if (store.get('persistentvolumeclaims', `${textAt(claim, 'metadata', 'namespace')}/${name}`)) return
  await writes.create(claim)
  record(member.set, claimCreated(member, name))
}

/** Deletes the highest Pod of another revision. Unless the set is parallel, waits until all Pods are available before the next deletion. */
const replaceOutdated = async (context: Context, plan: Plan): Promise<void> => {
  if (textAt(plan.set, 'spec', 'updateStrategy', 'type') === 'OnDelete') return
  const pods = podsOf(context, plan)
  if (!plan.isParallel && pods.some(pod => untilAvailable(context, pod, plan.set) > 0)) return
  const next = pods.find(pod => isEnding(pod) || hashIn(pod) !== plan.update.metadata.name)
  if (next && !isEnding(next) && ordinalOf(next) >= partitionOf(plan.set)) await removeMember(context, plan, next)
}

const report = async (context: Context, plan: Plan): Promise<void> => {
  const { set, update, ordinals } = plan
  const pods = podsOf(context, plan).filter(pod => !isEnding(pod))
  const updated = pods.filter(pod => hashIn(pod) === update.metadata.name)
  const isDone = updated.length === ordinals.length && updated.every(isReady) && pods.length === updated.length
  const current = isDone ? update : plan.current
  await context.writes.report(set, {
    ...fieldsAt(set, 'status'),
    observedGeneration: set.metadata.generation,
    replicas: podsOf(context, plan).length,
    readyReplicas: pods.filter(isReady).length,
    availableReplicas: pods.filter(pod => untilAvailable(context, pod, set) === 0).length,
    currentReplicas: pods.filter(pod => hashIn(pod) === current.metadata.name).length,
    updatedReplicas: updated.length,
    currentRevision: current.metadata.name,
    updateRevision: update.metadata.name,
    collisionCount: 0,
  })
  await forgetRevisions(context, set, new Set([current.metadata.name, update.metadata.name, ...pods.map(hashIn)]))
}
