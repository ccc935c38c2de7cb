// The API servers that keep something encrypted, as they stand in the runtime cluster.
import { managedResourceKind } from '../../../../shared/api/garden/kinds.ts'
import type { ObjectRef } from '../../../../shared/core/object.ts'
import { namespace, virtualGarden } from '../../desired/parts/names.ts'
import type { EncryptingServer } from './encryption-moves.ts'

type ApiServer = {
  /** Runs it, with the file of its keys. */
  readonly deployment: ObjectRef
  /** What we roll it out by: as long as this is there, the server has stored something. */
  readonly rolledOutBy: ObjectRef
}

const deploymentOf = (name: string): ObjectRef => ({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name })

const kubeApiserver = deploymentOf(virtualGarden('kube-apiserver'))

export const apiServers: Readonly<Record<EncryptingServer, ApiServer>> = {
  'kube-apiserver': { deployment: kubeApiserver, rolledOutBy: kubeApiserver },
  'gardener-apiserver': {
    deployment: deploymentOf('gardener-apiserver'),
    rolledOutBy: { ...managedResourceKind, namespace, name: 'gardener-apiserver-runtime' },
  },
}
