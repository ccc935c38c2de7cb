// Creates missing namespaces of dependents. A namespace that is no dependent itself is created and then left alone.
import type { Step } from '../../core/decisions/plan.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { lacksNamespace } from '../observed/namespaces.ts'
import type { World } from '../world.ts'

/** Steps that come before all others. */
export const namespaceSteps = (steps: readonly Step[], { observed, on }: World): Step[] => {
  const needed = steps.flatMap(step => (step.do === 'create' ? (step.object.metadata.namespace ?? []) : []))
  const missing = [...new Set(needed)].filter(name => lacksNamespace(observed, name))
  const order = Math.min(0, ...steps.map(step => step.order ?? 0)) - 1
  return missing.map(name => ({ do: 'create', object: namespace(name), on, order }))
}

const namespace = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
