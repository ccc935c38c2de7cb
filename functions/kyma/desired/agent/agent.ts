// Inputs of the agent's objects in a runtime, and their common labels.
import { kymaNames } from '../../../../shared/api/kyma/names.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { Watcher } from '../../../../shared/kyma/kinds.ts'

export type Agent = {
  readonly namespace: string
  readonly image: string
  readonly limits: Readonly<Record<'cpu' | 'memory', string>>
  /** `host:port` of the control plane's listener for events. */
  readonly eventAddress: string
  /** The Watchers of the control plane that have a webhook entry. */
  readonly watchers: readonly Watcher[]
  /** In base64, as in a Secret: the CAs for the control plane's certificate, and the agent's own certificate. */
  readonly certificate: CertificateData
  readonly pullSecret?: string | undefined
}

export type CertificateData = Readonly<Record<'ca.crt' | 'tls.crt' | 'tls.key', string>>

/** The name of most objects of the agent, and the label of its Pods. */
export const agentName = 'skr-webhook'

export const agentPods = { app: agentName } as const

export const agentPorts = { webhook: 8443, metrics: 2112 } as const

export const tlsSecretName = 'skr-webhook-tls'
export const priorityClassName = 'skr-webhook-priority'

/** The metadata by which users and the relay recognize objects of the agent. */
export const agentMetadata = (name: string, namespace?: string): KubeObject['metadata'] => ({
  name,
  ...(namespace !== undefined && { namespace }),
  labels: { ...agentPods, [kymaNames.labels.managedBy]: kymaNames.managedBy.runtime },
})
