// The Secret for pulling images in the runtime: a copy of the Secret that the installation names.
import type { Step } from '../../../shared/core/decisions/plan.ts'
import { faultTexts } from '../../../shared/core/decisions/steps.ts'
import { sameJson } from '../../../shared/core/json/json.ts'
import { syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import { runtimePullSecret } from '../desired/runtime-objects.ts'
import type { World } from '../world.ts'
import { runtimePart } from './runtime-part.ts'
import type { WorldWithRuntime } from './runtime-steps.ts'

export const pullSecret = runtimePart({
  name: 'pull-secret',
  condition: 'SKRImagePullSecretSync',
  order: 'content',
  isWanted: ({ settings }) => settings.pullSecret !== undefined,
  steps: secretSteps,
  trouble: (world, results) => {
    const [fault] = [...missing(world), ...faultTexts(results)]
    return fault === undefined ? undefined : `could not sync image pull secret: ${fault}`
  },
  status: () => 'True',
})

function secretSteps({ kyma, runtime, source }: WorldWithRuntime): Step[] {
  if (!source.pullSecret) return []
  const object = runtimePullSecret(source.pullSecret, syncNamespace(kyma))
  const live = runtime.pullSecret
  const isThere = live !== undefined && sameJson(live.data, object.data) && live.type === object.type
  return isThere ? [] : [{ do: 'apply', object, force: true }]
}

const missing = ({ settings, source }: World): string[] =>
  source.pullSecret ? [] : [`the control plane has no Secret ${settings.pullSecret}`]
