// Reads what the agent in the runtime of a Kyma is made of: the Watchers, and its certificate.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { watcherKind } from '../../../shared/api/kyma.ts'
import { isText, mapOrEmpty } from '../../../shared/core/json.ts'
import { isDeleting, type KubeObject } from '../../../shared/core/object.ts'
import type { Kyma, Watcher } from '../../../shared/kyma/kinds.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import type { CertificateData } from '../desired/agent/agent.ts'
import type { AgentSource } from '../rules/runtime.ts'

const { namespaces } = kymaNames

/** undefined where there is to be no agent. */
export const gatherAgentSource = async (
  kyma: Kyma,
  { reads, installation }: Pick<GatherContext, 'reads' | 'installation'>,
): Promise<AgentSource | undefined> => {
  if (installation.kyma.agent === undefined || isDeleting(kyma)) return undefined
  const ref = { namespace: namespaces.certificates, name: `${kyma.metadata.name}-webhook-tls` }
  const [watchers, secret] = await Promise.all([
    reads.list({ ...watcherKind, namespace: namespaces.controlPlane }) as Promise<Watcher[]>,
    reads.get({ apiVersion: 'v1', kind: 'Secret', ...ref }),
  ])
  const certificate = certificateIn(secret)
  return { watchers: watchers.filter(watcher => !isDeleting(watcher)), ...(certificate && { certificate }) }
}

/** undefined while something of it is missing. */
const certificateIn = (secret: KubeObject | undefined): CertificateData | undefined => {
  const { 'ca.crt': authorities, 'tls.crt': certificate, 'tls.key': key } = mapOrEmpty(secret?.data)
  if (!isText(authorities) || !isText(certificate) || !isText(key)) return undefined
  return { 'ca.crt': authorities, 'tls.crt': certificate, 'tls.key': key }
}
