// Shows what the functions in this folder will do with stored objects and samples of their kinds, before any function is called.
import { type GroupVersionKind, type KubeObject, keyOf, refOf, refText } from '../../core/objects/object.ts'
import { errorText } from '../../core/text/error-text.ts'
import type { Client } from '../../kube/client-types.ts'
import type { PlanSubject } from '../../runtime/planned.ts'
import { noPlan, planText } from '../cli/plan.ts'
import { planningProcess } from '../cli/planning-process.ts'
import type { StartClusters } from '../start/start-clusters.ts'
import { ownNames } from './own-functions.ts'

type Planned = Pick<StartClusters, 'kubeconfig' | 'samples' | 'landscape'>

/** Calls `show` for each plan. If an object has no plan yet, for example because a webhook must see it first, the text explains the reason. */
export const firstPlans = async (
  { kubeconfig, samples, landscape }: Planned,
  client: Client,
  show: (text: string, plan: object) => void,
): Promise<void> => {
  const planning = await planningProcess({ kubeconfig })
  const own = ownNames(landscape)
  try {
    for (const definition of planning.functions.filter(({ name }) => own.includes(name)))
      for (const subject of await subjectsOf(definition.kind, samples, client)) {
        const about = 'key' in subject ? { ...definition.kind, ...subject.key } : refOf(subject.object)
        const plan = await planning
          .plan(definition, subject)
          .catch(error => noPlan(about, errorText(error), definition.name))
        show(planText(plan), plan)
      }
  } finally {
    await planning.end()
  }
}

const subjectsOf = async (
  kind: GroupVersionKind,
  samples: readonly KubeObject[],
  client: Client,
): Promise<PlanSubject[]> => {
  const stored = await client.list(kind)
  const names = new Set(stored.map(object => refText(refOf(object))))
  const ofKind = samples.filter(one => one.kind === kind.kind && one.apiVersion === kind.apiVersion)
  const added = ofKind.filter(one => !names.has(refText(refOf(one))))
  return [...stored.map(object => ({ key: keyOf(object) })), ...added.map(object => ({ object }))]
}
