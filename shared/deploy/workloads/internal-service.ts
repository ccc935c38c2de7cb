// Services inside the cluster.
import type { KubeObject } from '../../core/objects/object.ts'
import { type Labels, partLabels } from '../manifests/conventions.ts'

type ServiceParts = {
  name: string
  namespace: string
  selector: Labels
  port: { name: string; port: number; targetPort: number }
  /** Under another number the same port. */
  alias?: { name: string; port: number }
  /** Its name leads to the addresses of all ready Pods, among which the caller chooses; the Service has no address. */
  isHeadless?: boolean
}

export const internalService = ({ name, namespace, selector, port, alias, isHeadless }: ServiceParts): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace, labels: partLabels },
  spec: {
    ...(isHeadless && { clusterIP: 'None' }),
    selector,
    ports: [port, ...(alias ? [{ ...port, ...alias }] : [])].map(one => ({ ...one, protocol: 'TCP' })),
  },
})
