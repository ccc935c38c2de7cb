// An annotation of the Garden names the Secret with the generic kubeconfig, for programs that mount it beside a token of their own.
import type { Step } from '../../../shared/core/decisions/plan.ts'
import type { World } from '../world.ts'
import { secretNow } from './secrets/secrets-now.ts'

const annotation = 'generic-token-kubeconfig.secret.gardener.cloud/name'

export const genericKubeconfigName = (world: World): readonly Step[] => {
  const { garden } = world
  const { name } = secretNow(world, 'generic-token-kubeconfig').metadata
  return garden.metadata.annotations?.[annotation] === name
    ? []
    : [{ do: 'patch', target: garden, merge: { metadata: { annotations: { [annotation]: name } } } }]
}
