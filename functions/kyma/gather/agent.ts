// Reads the inputs of the agent in a Kyma's runtime: the Watchers, the agent's certificate, and the CAs that the agent must trust. The deletion of
// the Kyma removes the certificate.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { watcherKind } from '../../../shared/api/kyma.ts'
import type { Step } from '../../../shared/core/decisions/plan.ts'
import { isText, mapOrEmpty } from '../../../shared/core/json/json.ts'
import { isDeleting, type Key, type KubeObject } from '../../../shared/core/objects/object.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import { getIfServed, installedOf } from '../../../shared/kube/reading.ts'
import {
  certificateAsked,
  certificateDefinitions,
  certificateProvider,
  certificateRefs,
  certificateTaken,
  gatewaySecretName,
  isForRuntimes,
  runtimeCertificateName,
  secretOfCertificates,
} from '../../../shared/kyma/certificates.ts'
import type { Kyma, Watcher } from '../../../shared/kyma/kinds.ts'
import { domainMissing, domainOf } from '../../../shared/kyma/kyma-runtime.ts'
import { type AgentSettings, wantedAgent } from '../../../shared/kyma/settings.ts'
import { watcherFault } from '../../../shared/kyma/watcher-fault.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import type { CertificateData } from '../desired/agent.ts'
import type { AgentSource } from '../rules/runtime.ts'
import type { KymaSettings } from '../settings.ts'

const { namespaces } = kymaNames

type Context = Pick<GatherContext<Pick<KymaSettings, keyof AgentSettings | 'certificates'>>, 'reads' | 'settings'>

/** undefined: this Kyma gets no agent. */
export const gatherAgentSource = async (kyma: Kyma, { reads, settings }: Context): Promise<AgentSource | undefined> => {
  if (wantedAgent(settings) === undefined || isDeleting(kyma)) return undefined
  const [watchers, secret, gateway] = await Promise.all([
    reads.list({ ...watcherKind, namespace: namespaces.controlPlane }) as Promise<Watcher[]>,
    reads.get(secretOfCertificates(runtimeCertificateName(kyma.metadata.name))),
    reads.get(secretOfCertificates(gatewaySecretName)),
  ])
  const taken = certificateTaken(secret)
  const certificate = taken === undefined ? certificateIn(secret, gateway) : undefined
  const fault = taken ?? (await operatorFault(kyma, { hasSecret: secret !== undefined, reads, settings }))
  return {
    watchers: watchers.filter(watcher => !isDeleting(watcher) && watcherFault(watcher) === undefined),
    ...(certificate && { certificate }),
    ...(fault !== undefined && { fault }),
  }
}

type Asking = Context & { readonly hasSecret: boolean }

/** Why no operator creates the certificate. Without an operator we create the certificate ourselves, without a domain or a Certificate. */
const operatorFault = async (kyma: Kyma, { reads, settings, hasSecret }: Asking): Promise<string | undefined> => {
  const hasDomain = domainOf(kyma) !== undefined
  if (hasDomain && hasSecret) return undefined
  const { certificates } = settings
  const installed = certificates === 'auto' ? await installedOf(reads, certificateDefinitions) : []
  const asked = certificateAsked(kyma.metadata.name, certificateProvider(certificates, installed))
  if (asked === undefined) return undefined
  return hasDomain ? certificateTaken(await getIfServed(reads, asked)) : domainMissing
}

/**
 * undefined while a part of the certificate is missing. The agent trusts all CAs in the listener's Secret, because the listener may still
 * use a certificate of an older CA.
 */
const certificateIn = (
  secret: KubeObject | undefined,
  gateway: KubeObject | undefined,
): CertificateData | undefined => {
  const { 'ca.crt': own, 'tls.crt': certificate, 'tls.key': key } = mapOrEmpty(secret?.data)
  const authorities = mapOrEmpty(gateway?.data)['ca.crt'] ?? own
  if (!isText(authorities) || !isText(certificate) || !isText(key)) return undefined
  return { 'ca.crt': authorities, 'tls.crt': certificate, 'tls.key': key }
}

export const gatherCertificates = async (kyma: Kyma, reads: Reads): Promise<readonly KubeObject[]> =>
  isDeleting(kyma) ? certificatesOf(kyma.metadata.name, reads) : []

/** Deletes the certificates of a Kyma that no longer exists. */
export const leftBehind = async ({ namespace, name }: Key, { reads }: { reads: Reads }): Promise<readonly Step[]> =>
  namespace === kymaNames.namespaces.controlPlane
    ? (await certificatesOf(name, reads)).map(target => ({ do: 'delete', target }))
    : []

const certificatesOf = async (kyma: string, reads: Reads): Promise<readonly KubeObject[]> => {
  const refs = [...certificateRefs(kyma), secretOfCertificates(runtimeCertificateName(kyma))]
  const found = await Promise.all(refs.map(ref => getIfServed(reads, ref)))
  return found.flatMap(object => (object && isForRuntimes(object) ? object : []))
}
