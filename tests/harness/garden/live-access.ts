// Access to what a live Garden serves, from the Secrets that are generated for it.
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { secretText } from '../../../shared/core/objects/secret-text.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { secretData } from '../../../shared/outside/certificates.ts'
import type { Certified } from '../clients/certificates.ts'

const namespace = 'garden'

/** The Secret of the latest rotation. */
export const generatedSecret = async (client: Client, name: string): Promise<KubeObject | undefined> => {
  const labelSelector = `name=${name},managed-by=secrets-manager`
  const found = await client.list({ apiVersion: 'v1', kind: 'Secret', namespace, labelSelector })
  const rotated = ({ metadata }: KubeObject): number => Number(metadata.labels?.['last-rotation-initiation-time'] ?? 0)
  return found.toSorted((one, other) => rotated(one) - rotated(other)).at(-1)
}

/** The certificate that the Pods behind a Service of namespace garden show. */
export const servingCertificate = async (client: Client, serverName: string): Promise<Certified | undefined> => {
  const [service = ''] = serverName.split('.')
  const secret = await generatedSecret(client, servers[service] ?? service)
  return secret && { certificate: secretText(secret, 'tls.crt'), key: secretText(secret, 'tls.key') }
}

const servers: Readonly<Record<string, string>> = {
  'gardener-resource-manager': 'gardener-resource-manager-server',
  'vpa-webhook': 'vpa-admission-controller-server',
}

/** A certificate with all rights in the virtual garden, signed by the present authority for clients. */
export const virtualAdmin = async (client: Client): Promise<Certified> => {
  const authority = await generatedSecret(client, 'ca-client')
  if (!authority) throw new Error('there is no ca-client')
  const day = 86_400_000
  const times = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + day) }
  const of = { commonName: 'admin', organization: 'system:masters', uses: ['client'] as const, names: [] }
  const data = await secretData({ make: 'certificate', signer: refOf(authority), ...of, ...times }, authority)
  return { certificate: atob(data['tls.crt'] ?? ''), key: atob(data['tls.key'] ?? '') }
}
