// The identity of one function, of the relay, or of a host. What it may do is in roles.ts.
import type { KubeObject } from '../../core/objects/object.ts'
import { type Labels, partLabels } from '../manifests/conventions.ts'

/** Its token is mounted, as all of them talk to the API server. */
export const serviceAccount = (name: string, namespace: string, labels: Labels = partLabels): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace, labels },
  automountServiceAccountToken: true,
})
