// Service: types, ports and addresses. Cluster IPs come from the address range and are not routed.
import type { KubeObject } from '../../core/objects/object.ts'
import { textHash } from '../names.ts'
import { type FieldFault, faultsIn, immutable, invalidValue, required, unlisted } from '../status.ts'
import { fieldsAt, type JsonMap, mapsAt, textAt } from '../value.ts'
import { ensured, fill, type Traits } from './trait.ts'

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const isExternalName = (spec: JsonMap): boolean => spec.type === 'ExternalName'

const defaults = (draft: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  fill(spec, { sessionAffinity: 'None', type: 'ClusterIP' })
  if (spec.sessionAffinity === 'ClientIP')
    fill(ensured(ensured(spec, 'sessionAffinityConfig'), 'clientIP'), { timeoutSeconds: 10800 })
  for (const port of mapsAt(spec, 'ports')) {
    fill(port, { protocol: 'TCP' })
    port.targetPort ||= port.port
  }
  if (!isExternalName(spec)) fill(spec, { internalTrafficPolicy: 'Cluster' })
  if (spec.type === 'NodePort' || spec.type === 'LoadBalancer') fill(spec, { externalTrafficPolicy: 'Cluster' })
  if (spec.type === 'LoadBalancer') fill(spec, { allocateLoadBalancerNodePorts: true })
  for (const ingress of mapsAt(draft, 'status', 'loadBalancer', 'ingress'))
    if (ingress.ip) fill(ingress, { ipMode: 'VIP' })
}

const onCreate = (draft: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  if (isExternalName(spec)) return
  fill(spec, { clusterIP: addressFor(draft) })
  fill(spec, { clusterIPs: [spec.clusterIP], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' })
  fillNodePorts(spec, draft)
}

/** An update without addresses keeps the addresses. */
const onUpdate = (draft: KubeObject, before: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  const old = fieldsAt(before, 'spec') ?? {}
  if (isExternalName(spec)) return
  if (isExternalName(old)) {
    onCreate(draft)
    return
  }
  for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) fill(spec, { [field]: old[field] })
  keepNodePorts(spec, old)
  fillNodePorts(spec, draft)
}

const needsNodePorts = (spec: JsonMap): boolean =>
  spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false)

const fillNodePorts = (spec: JsonMap, draft: KubeObject): void => {
  if (!needsNodePorts(spec)) return
  for (const [index, port] of mapsAt(spec, 'ports').entries())
    port.nodePort ||= 30000 + (textHash(`${seed(draft)}/${index}`) % 2768)
}

const keepNodePorts = (spec: JsonMap, old: JsonMap): void => {
  if (!needsNodePorts(spec)) return
  const before = mapsAt(old, 'ports')
  for (const port of mapsAt(spec, 'ports'))
    port.nodePort ||= before.find(one => one.port === port.port && one.protocol === port.protocol)?.nodePort
}

const seed = (draft: KubeObject): string => `${draft.metadata.namespace}/${draft.metadata.name}`

/** The address is derived from the name, so that a recreated Service gets the same address. */
const addressFor = (draft: KubeObject): string => {
  const value = textHash(seed(draft)) % 65_024
  return `10.96.${Math.floor(value / 254)}.${(value % 254) + 1}`
}

const faults = (object: KubeObject): FieldFault[] => {
  const spec = fieldsAt(object, 'spec') ?? {}
  const ports = mapsAt(spec, 'ports')
  const isHeadless = spec.clusterIP === 'None'
  return faultsIn(
    unlisted('spec.type', spec.type, types),
    ports.length === 0 && !isHeadless && !isExternalName(spec) && required('spec.ports'),
    isExternalName(spec) && !spec.externalName && required('spec.externalName'),
    ports.flatMap((port, index) => portFaults(port, `spec.ports[${index}]`, ports.length > 1)),
  )
}

const portFaults = (port: JsonMap, path: string, needsName: boolean): FieldFault[] => {
  const number = Number(port.port)
  const why = 'must be between 1 and 65535, inclusive'
  return faultsIn(
    needsName && !port.name && required(`${path}.name`),
    !(number >= 1 && number <= 65535) && invalidValue(`${path}.port`, number, why),
    Number(port.targetPort) === 0 && invalidValue(`${path}.targetPort`, 0, why),
    unlisted(`${path}.protocol`, port.protocol, ['SCTP', 'TCP', 'UDP']),
  )
}

const updateFaults = (object: KubeObject, before: KubeObject): FieldFault[] => {
  const now = textAt(object, 'spec', 'clusterIP')
  const mayChange = [object, before].some(service => textAt(service, 'spec', 'type') === 'ExternalName')
  return mayChange || textAt(before, 'spec', 'clusterIP') === now
    ? []
    : [{ ...immutable('spec.clusterIPs[0]', [now]), detail: `Invalid value: ["${now}"]: may not change once set` }]
}

export const serviceTraits: Traits = { defaults, onCreate, onUpdate, faults, updateFaults, answersDeleted: true }
