// Secrets in namespace garden that request a token of the virtual garden. Its resource manager serves only Secrets of class shoot, so a
// Secret without a class gets this class. Secrets of other classes and in other namespaces do not change.
import type { Step } from '../../../shared/core/decisions/plan.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { namespace, prefixes } from '../desired/parts/names.ts'
import type { World } from '../world.ts'
import { objectsOf } from './objects.ts'
import { secretNow } from './secrets/existing-secrets.ts'

const classLabel = `${prefixes.resources}/class`

/** The Secrets of this class. undefined: Secrets without a class. */
export const tokenSecrets = ({ runtime }: World, ofClass: 'shoot' | undefined): readonly KubeObject[] =>
  objectsOf(runtime, { apiVersion: 'v1', kind: 'Secret' }).filter(({ metadata: { namespace: where, labels = {} } }) => {
    const isRequest = labels[`${prefixes.resources}/purpose`] === 'token-requestor'
    return where === namespace && isRequest && labels[classLabel] === ofClass
  })

export const tokenSecretSteps = (world: World): Step[] =>
  tokenSecrets(world, undefined).map(
    (target): Step => ({ do: 'patch', target, merge: { metadata: { labels: { [classLabel]: 'shoot' } } } }),
  )

const kubeconfigAnnotation = 'generic-token-kubeconfig.secret.gardener.cloud/name'

/** Names the Secret with the generic kubeconfig in the Garden, for programs that mount this Secret together with a token. */
export const genericKubeconfigName = (world: World): readonly Step[] => {
  const { garden } = world
  const { name } = secretNow(world, 'generic-token-kubeconfig').metadata
  return garden.metadata.annotations?.[kubeconfigAnnotation] === name
    ? []
    : [{ do: 'patch', target: garden, merge: { metadata: { annotations: { [kubeconfigAnnotation]: name } } } }]
}
