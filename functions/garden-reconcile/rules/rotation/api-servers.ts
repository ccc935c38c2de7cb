// The API servers that store objects encrypted, and their objects in the runtime cluster.
import { managedResourceKind } from '../../../../shared/api/garden/kinds.ts'
import type { ObjectRef } from '../../../../shared/core/objects/object.ts'
import { namespace, virtualGarden } from '../../desired/parts/names.ts'
import type { EncryptingServer } from './encryption-moves.ts'

type ApiServer = {
  /** The Deployment that runs the API server and mounts the file with the encryption keys. */
  readonly deployment: ObjectRef
  /** The object with which we roll out the API server. While this object exists, the API server may have stored objects. */
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
