// How a Pod of the runtime cluster reaches the virtual garden: with the generic kubeconfig and the Pod's own token, both mounted in one
// folder. The resource manager of the virtual garden creates and renews the token.
//
//   const access = virtualGardenClient(world, 'kube-controller-manager')
//   [access.secret, gardenDeployment({ pod: { volumes: [access.volume], containers: [{ volumeMounts: [access.mount] }] } })]
//   args: [`--kubeconfig=${clientFiles.kubeconfig}`]
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { secretNow } from '../../rules/secrets/secrets-now.ts'
import type { World } from '../../world.ts'
import { namespace, ownershipLabel, prefixes } from './names.ts'

const folder = '/var/run/secrets/gardener.cloud/shoot/generic-kubeconfig'

export const clientFiles = { folder, kubeconfig: `${folder}/kubeconfig`, token: `${folder}/token` } as const

/** `name`: the ServiceAccount in namespace kube-system of the virtual garden. */
export const virtualGardenClient = (world: World, name: string) => {
  const secret = tokenSecret(name)
  const from = (source: string, key: string) => ({
    secret: { name: source, items: [{ key, path: key }], optional: false },
  })
  const sources = [
    from(secretNow(world, 'generic-token-kubeconfig').metadata.name, 'kubeconfig'),
    from(secret.metadata.name, 'token'),
  ]
  return {
    secret,
    volume: { name: 'kubeconfig', projected: { defaultMode: 0o640, sources } },
    mount: { name: 'kubeconfig', mountPath: folder, readOnly: true },
  }
}

/** Requests a token of the ServiceAccount from the resource manager of the virtual garden, which writes `data`. */
export const tokenSecret = (serviceAccount: string, name = `shoot-access-${serviceAccount}`): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name,
    namespace,
    labels: {
      [`${prefixes.resources}/purpose`]: 'token-requestor',
      [`${prefixes.resources}/class`]: 'shoot',
      ...ownershipLabel,
    },
    annotations: {
      [`${prefixes.serviceAccount}/name`]: serviceAccount,
      [`${prefixes.serviceAccount}/namespace`]: 'kube-system',
    },
  },
  type: 'Opaque',
})
