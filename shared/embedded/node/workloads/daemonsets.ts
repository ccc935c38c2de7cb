// DaemonSets: one Pod on every node that fits. Outdated Pods are replaced a few at a time.
import type { KubeObject } from '../../../core/objects/object.ts'
import { fieldsAt, type JsonMap, listAt, numberAt, textAt } from '../../value.ts'
import { claimed, ownedBy, ownersIn } from '../claims.ts'
import type { Context, Controller } from '../controller.ts'
import { controllerWorker } from '../controller-worker.ts'
import { fits } from '../pods.ts'
import {
  createPod,
  currentRevision,
  forgetRevisions,
  hashIn,
  isActive,
  isAvailable,
  isEnded,
  isEnding,
  isReady,
  podOf,
  removePod,
  revisionLabel,
  templateOf,
  untilAvailable,
} from './own-pods.ts'
import { amountOf } from './rollout.ts'

const collection = 'apps/daemonsets'

export const daemonSets: Controller = {
  name: 'daemon-set-controller',
  worker: controllerWorker('daemon-set-controller', 'daemonset-controller'),
  collection,
  concerns: {
    pods: ownersIn(collection, 'DaemonSet'),
    nodes: (_, store) => store.now(collection).keys(''),
  },
  reconcile: async (context, set) => {
    const revision = await currentRevision(context, set)
    if (!revision) return
    await claimed(context, set, 'pods')
    const nodes = nodesFor(context, set)
    if (!isEnding(set)) await place(context, set, nodes, hashIn(revision))
    await report(context, set, nodes, hashIn(revision))
  },
}

const taintsOfTrouble = [
  'not-ready',
  'unreachable',
  'disk-pressure',
  'memory-pressure',
  'pid-pressure',
  'unschedulable',
]

const tolerations = taintsOfTrouble.map((name, index) => ({
  key: `node.kubernetes.io/${name}`,
  operator: 'Exists',
  effect: index < 2 ? 'NoExecute' : 'NoSchedule',
}))

const templateFor = (set: KubeObject): JsonMap => {
  const template = templateOf(set)
  const own = listAt(template, 'spec', 'tolerations')
  return { ...template, spec: { ...fieldsAt(template, 'spec'), tolerations: [...own, ...tolerations] } }
}

const nodesFor = ({ store }: Context, set: KubeObject): string[] =>
  store
    .objects('nodes')
    .filter(node => fits(templateFor(set) as KubeObject, node))
    .map(({ metadata }) => metadata.name)

const nodeOf = (pod: KubeObject): string => {
  const path = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms']
  const [term] = listAt(pod, 'spec', ...path)
  const [field] = listAt(term, 'matchFields')
  return textAt(pod, 'spec', 'nodeName') || String(listAt(field, 'values')[0] ?? '')
}

const affinityTo = (node: string): JsonMap => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
    },
  },
})

const place = async (context: Context, set: KubeObject, nodes: readonly string[], hash: string): Promise<void> => {
  const pods = ownedBy(context, set, 'pods')
  for (const pod of pods)
    if (!isEnding(pod) && (isEnded(pod) || !nodes.includes(nodeOf(pod)))) await removePod(context, set, pod)
  for (const node of nodes.filter(node => !pods.some(pod => nodeOf(pod) === node)))
    await createPod(
      context,
      set,
      podOf(set, templateFor(set), {
        labels: { [revisionLabel]: hash, 'pod-template-generation': String(set.metadata.generation) },
        spec: { affinity: affinityTo(node) },
      }),
    )
  await replaceOutdated(context, set, nodes.length, hash)
}

const replaceOutdated = async (context: Context, set: KubeObject, total: number, hash: string): Promise<void> => {
  if (textAt(set, 'spec', 'updateStrategy', 'type') === 'OnDelete') return
  const active = ownedBy(context, set, 'pods').filter(isActive)
  const asked = fieldsAt(set, 'spec', 'updateStrategy', 'rollingUpdate')?.maxUnavailable
  const most = Math.max(1, amountOf(asked ?? 1, total, 'up'))
  const outdated = active.filter(pod => hashIn(pod) !== hash)
  const missing = total - active.filter(pod => untilAvailable(context, pod, set) === 0).length
  const broken = outdated.filter(pod => untilAvailable(context, pod, set) > 0)
  const spare = outdated.filter(pod => untilAvailable(context, pod, set) === 0).slice(0, Math.max(0, most - missing))
  for (const pod of [...broken, ...spare]) await removePod(context, set, pod)
}

const report = async (context: Context, set: KubeObject, nodes: readonly string[], hash: string): Promise<void> => {
  const pods = ownedBy(context, set, 'pods').filter(isActive)
  const placed = pods.filter(pod => nodes.includes(nodeOf(pod)))
  const available = placed.filter(pod => isAvailable(context, pod, set)).length
  await context.writes.report(set, {
    ...fieldsAt(set, 'status'),
    observedGeneration: set.metadata.generation,
    desiredNumberScheduled: nodes.length,
    currentNumberScheduled: placed.length,
    numberMisscheduled: pods.length - placed.length,
    numberReady: placed.filter(isReady).length,
    numberAvailable: available,
    numberUnavailable: Math.max(0, nodes.length - available),
    updatedNumberScheduled: placed.filter(pod => hashIn(pod) === hash).length,
    collisionCount: numberAt(set, ['status', 'collisionCount']) || undefined,
  })
  await forgetRevisions(context, set, new Set([...pods.map(hashIn), hash]))
}
