// A Service of type ClusterIP.
//
//   clusterIpService({ name: 'plutono', labels: { component: 'plutono' }, ports: [{ name: 'web', port: 3000, protocol: 'TCP' }] })
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { namespace as garden } from './names.ts'

type Texts = Readonly<Record<string, string>>

type Fields = {
  readonly name: string
  readonly namespace?: string
  readonly labels: Texts
  /** Absent: the labels. */
  readonly selector?: Texts
  readonly annotations?: Texts | undefined
  /** Further fields of the spec. */
  readonly spec?: JsonMap | undefined
  readonly ports: readonly JsonMap[]
}

export const clusterIpService = ({ name, labels, annotations, spec, ports, ...fields }: Fields): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: fields.namespace ?? garden, labels, ...(annotations && { annotations }) },
  spec: { type: 'ClusterIP', selector: fields.selector ?? labels, ...spec, ports },
})
