// StatefulSets: Pods with fixed names, created in order, deleted and replaced in reverse.
import type { KubeObject } from '../../../core/objects/object.ts'
import { fieldsAt, type JsonMap, listAt, mapsAt, numberAt, textAt } from '../../value.ts'
import { claimed, ownedBy, ownersIn } from '../claims.ts'
import type { Controller, Look } from '../controller.ts'
import { controllerWorker } from '../controller-worker.ts'
import { claimCreated, type Member, memberCreated, memberDeleted, memberRefused } from '../node-events.ts'
import { isEnded, isEnding, isReady, podOf, untilAvailable } from '../pods/pod-template.ts'
import { created } from './own-pods.ts'
import { currentRevision, forgetRevisions, revisionLabel, revisionsOf, templateIn } from './revisions.ts'

const collection = 'apps/statefulsets'

export const statefulSets: Controller = {
  name: 'statefulset-controller',
  worker: controllerWorker('statefulset-controller'),
  collection,
  concerns: { pods: ownersIn(collection, 'StatefulSet') },
  tend: async (look, set) => {
    const update = await currentRevision(look, set)
    if (!update) return
    const plan = planOf(look, set, update)
    await claimed(look, set, 'pods')
    if (!isEnding(set)) await move(look, plan)
    await report(look, plan)
  },
}

type Plan = {
  readonly set: KubeObject
  readonly update: KubeObject
  /** The revision before the update, which Pods below the partition have. */
  readonly current: KubeObject
  readonly ordinals: readonly number[]
  readonly isParallel: boolean
}

const planOf = (look: Look, set: KubeObject, update: KubeObject): Plan => {
  const known = textAt(set, 'status', 'currentRevision')
  const start = numberAt(set, ['spec', 'ordinals', 'start'])
  return {
    set,
    update,
    current: revisionsOf(look, set).find(({ metadata }) => metadata.name === known) ?? update,
    ordinals: Array.from({ length: numberAt(set, ['spec', 'replicas'], 1) }, (_, index) => start + index),
    isParallel: textAt(set, 'spec', 'podManagementPolicy') === 'Parallel',
  }
}

const ordinalOf = ({ metadata }: KubeObject): number => Number(metadata.name.slice(metadata.name.lastIndexOf('-') + 1))
const revisionOf = ({ metadata }: KubeObject): string => metadata.labels?.[revisionLabel] ?? ''

const move = async (look: Look, plan: Plan): Promise<void> => {
  const isOrdered = !plan.isParallel
  for (const ordinal of plan.ordinals) {
    const isThere = await ensure(look, plan, ordinal)
    if (!isThere && isOrdered) return
  }
  const extra = podsOf(look, plan).filter(pod => !plan.ordinals.includes(ordinalOf(pod)))
  for (const pod of extra) {
    if (!isEnding(pod)) await removeMember(look, plan, pod)
    if (isOrdered) return
  }
  if (extra.length === 0) await replaceOutdated(look, plan)
}

const podsOf = (look: Look, { set }: Plan): KubeObject[] =>
  ownedBy(look, set, 'pods').sort((left, right) => ordinalOf(right) - ordinalOf(left))

/** Whether the ordinal's Pod runs and is available. Creates a missing Pod and replaces an ended one. */
const ensure = async (look: Look, plan: Plan, ordinal: number): Promise<boolean> => {
  const pod = podsOf(look, plan).find(each => ordinalOf(each) === ordinal)
  if (!pod) await createMember(look, plan, ordinal)
  else if (isEnded(pod) && !isEnding(pod)) await removeMember(look, plan, pod)
  else if (!isEnding(pod)) {
    const wait = untilAvailable(look, pod, plan.set)
    if (wait > 0 && Number.isFinite(wait)) look.again(wait)
    return wait === 0
  }
  return false
}

const partitionOf = (set: KubeObject): number => numberAt(set, ['spec', 'updateStrategy', 'rollingUpdate', 'partition'])

const createMember = async (look: Look, plan: Plan, ordinal: number): Promise<void> => {
  const { set } = plan
  const revision = ordinal < partitionOf(set) ? plan.current : plan.update
  const name = `${set.metadata.name}-${ordinal}`
  const member = { set, pod: name }
  for (const claim of claimsOf(set, name)) await ensureClaim(look, claim, member)
  const pod = podOf(set, templateIn(revision), {
    name,
    labels: {
      [revisionLabel]: revision.metadata.name,
      'statefulset.kubernetes.io/pod-name': name,
      'apps.kubernetes.io/pod-index': String(ordinal),
    },
    spec: podSpec(set, templateIn(revision), name),
  })
  await created(look, set, pod, { made: () => memberCreated(member), refused: why => memberRefused(member, why) })
}

const removeMember = async (look: Look, { set }: Plan, pod: KubeObject): Promise<void> => {
  await look.hands.remove(pod)
  look.record(set, memberDeleted({ set, pod: pod.metadata.name }))
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

const ensureClaim = async ({ store, hands, record }: Look, claim: JsonMap, member: Member): Promise<void> => {
  const name = textAt(claim, 'metadata', 'name')
  if (store.get('persistentvolumeclaims', `${textAt(claim, 'metadata', 'namespace')}/${name}`)) return
  await hands.create(claim)
  record(member.set, claimCreated(member, name))
}

/** Deletes the highest Pod of another revision; the next one only when that is back. */
const replaceOutdated = async (look: Look, plan: Plan): Promise<void> => {
  if (textAt(plan.set, 'spec', 'updateStrategy', 'type') === 'OnDelete') return
  const pods = podsOf(look, plan)
  if (!plan.isParallel && pods.some(pod => untilAvailable(look, pod, plan.set) > 0)) return
  const next = pods.find(pod => isEnding(pod) || revisionOf(pod) !== plan.update.metadata.name)
  if (next && !isEnding(next) && ordinalOf(next) >= partitionOf(plan.set)) await removeMember(look, plan, next)
}

const report = async (look: Look, plan: Plan): Promise<void> => {
  const { set, update, ordinals } = plan
  const pods = podsOf(look, plan).filter(pod => !isEnding(pod))
  const updated = pods.filter(pod => revisionOf(pod) === update.metadata.name)
  const isDone = updated.length === ordinals.length && updated.every(isReady) && pods.length === updated.length
  const current = isDone ? update : plan.current
  await look.hands.report(set, {
    ...fieldsAt(set, 'status'),
    observedGeneration: set.metadata.generation,
    replicas: podsOf(look, plan).length,
    readyReplicas: pods.filter(isReady).length,
    availableReplicas: pods.filter(pod => untilAvailable(look, pod, set) === 0).length,
    currentReplicas: pods.filter(pod => revisionOf(pod) === current.metadata.name).length,
    updatedReplicas: updated.length,
    currentRevision: current.metadata.name,
    updateRevision: update.metadata.name,
    collisionCount: 0,
  })
  await forgetRevisions(look, set, new Set([current.metadata.name, update.metadata.name, ...pods.map(revisionOf)]))
}
