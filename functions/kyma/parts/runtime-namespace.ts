// The namespace of copy and catalogue in the runtime.
import { faultTexts } from '../../../shared/core/decisions/steps.ts'
import { syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import { runtimeNamespace } from '../desired/runtime-objects.ts'
import type { KymaPart } from './part.ts'
import { inRuntime, isPossible, type WorldWithRuntime } from './runtime-steps.ts'

export const runtimeNamespacePart: KymaPart = {
  name: 'runtime-namespace',
  steps: world => {
    const object = runtimeNamespace(syncNamespace(world.kyma))
    return isPossible(world) && !isLabelled(world, object.metadata.labels)
      ? inRuntime(world, [{ do: 'apply', object, force: true }])
      : []
  },
  reports: (_, results) => {
    const [fault] = faultTexts(results)
    return fault === undefined ? {} : { trouble: { text: `could not prepare the runtime: ${fault}`, needs: 'outside' } }
  },
}

const isLabelled = ({ runtime }: WorldWithRuntime, labels: Record<string, string> = {}): boolean =>
  runtime.namespace !== undefined &&
  Object.entries(labels).every(([label, value]) => runtime.namespace?.metadata.labels?.[label] === value)
