// The Secret by which the runtime pulls images: a copy of the one that the installation names.
import { sameJson } from '../../../shared/core/json.ts'
import type { Step } from '../../../shared/core/plan.ts'
import { syncNamespace } from '../../../shared/kyma/remote.ts'
import { runtimePullSecret } from '../desired/runtime-pull-secret.ts'
import type { World } from '../world.ts'
import type { Part } from './part.ts'
import { failures, inRuntime, isPossible } from './runtime-steps.ts'

const type = 'SKRImagePullSecretSync'

export const pullSecret: Part = {
  name: 'pull-secret',
  steps: world => inRuntime(world, isPossible(world) ? secretSteps(world) : [], { order: 'content' }),
  tells: (world, results) => {
    const { settings, runtime } = world
    if (settings.pullSecret === undefined || runtime.is === 'off') return {}
    if (runtime.is !== 'there') return { condition: { type, status: 'Unknown', otherwise: 'Error' } }
    const [fault] = [...missing(world), ...failures(results)]
    if (fault === undefined) return { condition: { type, status: 'True', otherwise: 'Error' } }
    return {
      condition: { type, status: 'False', otherwise: 'Error' },
      trouble: { text: `could not sync image pull secret: ${fault}`, needs: 'outside' },
    }
  },
}

const secretSteps = ({ kyma, runtime, source }: World): Step[] => {
  if (!source.pullSecret || runtime.is !== 'there') return []
  const object = runtimePullSecret(source.pullSecret, syncNamespace(kyma))
  const live = runtime.pullSecret
  const isThere = live !== undefined && sameJson(live.data, object.data) && live.type === object.type
  return isThere ? [] : [{ do: 'apply', object, force: true }]
}

const missing = ({ settings, source }: World): string[] =>
  source.pullSecret ? [] : [`the control plane has no Secret ${settings.pullSecret}`]
