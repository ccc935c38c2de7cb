// The certificate of kube-apiserver for clients that ask for a domain of the installation.
import { objectsOf } from '../../rules/objects.ts'
import type { World } from '../../world.ts'
import { certificateFaults } from '../apiserver-parts/referenced.ts'
import { namespace } from '../parts/names.ts'
import type { KubeApiServer } from './kube-apiserver.ts'

const certificateRole = { key: 'gardener.cloud/role', value: 'garden-cert' } as const

/** The Secret that the Garden names, otherwise the Secret with the wildcard label. */
export const sniSecretName = ({ fields: { sni }, world }: KubeApiServer): string | undefined =>
  sni && (sni.secretName ?? wildcardSecretName(world))

/** The Secret that a user labelled as the certificate of all domains of the Garden. */
export const wildcardSecretName = ({ runtime }: World): string | undefined =>
  objectsOf(runtime, { apiVersion: 'v1', kind: 'Secret' }).find(
    ({ metadata }) =>
      metadata.namespace === namespace && metadata.labels?.[certificateRole.key] === certificateRole.value,
  )?.metadata.name

export const sniFaults = (server: KubeApiServer): string[] => {
  if (server.fields.sni === undefined) return []
  const name = sniSecretName(server)
  if (name === undefined)
    return [
      `Namespace ${namespace}: no Secret has label ${certificateRole.key}=${certificateRole.value} and key tls.crt`,
    ]
  return certificateFaults(server.world, name)
}
