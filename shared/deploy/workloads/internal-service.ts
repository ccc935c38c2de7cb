// Services inside the cluster.
import type { KubeObject } from '../../core/objects/object.ts'
import { type Labels, partLabels } from '../manifests/conventions.ts'

type ServiceParts = {
  name: string
  namespace: string
  /** The labels of the Pods behind it. */
  selector: Labels
  port: { name: string; port: number; targetPort: number }
}

export const internalService = ({ name, namespace, selector, port }: ServiceParts): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace, labels: partLabels },
  spec: { selector, ports: [{ ...port, protocol: 'TCP' }] },
})
