// Inputs of the agent's objects in a runtime, and their common labels.
import type { AgentLimits } from '../../../../shared/api/installation.ts'
import { kymaNames } from '../../../../shared/api/kyma/names.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { Watcher } from '../../../../shared/kyma/kinds.ts'

export type Agent = {
  readonly namespace: string
  readonly image: string
  readonly limits?: AgentLimits
  /** `host:port` where the control plane takes events. */
  readonly eventAddress: string
  /** The Watchers of the control plane that have an entry. */
  readonly watchers: readonly Watcher[]
  /** In base64, as in a Secret: who signs the control plane's certificate, and the agent's own. */
  readonly certificate: CertificateData
  readonly pullSecret?: string
}

export type CertificateData = Readonly<Record<'ca.crt' | 'tls.crt' | 'tls.key', string>>

/** The name of most objects, and the label that selects the agent's Pods. */
export const agentName = 'skr-webhook'

export const agentPods = { app: agentName } as const

export const agentPorts = { webhook: 8443, metrics: 2112 } as const

export const tlsSecretName = 'skr-webhook-tls'
export const priorityClassName = 'skr-webhook-priority'

/** Metadata by which people and the relay know an object of the agent. */
export const agentMetadata = (name: string, namespace?: string): KubeObject['metadata'] => ({
  name,
  ...(namespace !== undefined && { namespace }),
  labels: { ...agentPods, [kymaNames.labels.managedBy]: kymaNames.managedBy.runtime },
})
