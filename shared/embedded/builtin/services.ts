// Service: types, ports and addresses. Cluster IPs are made up from the address range and never routed.
import type { KubeObject } from '../../core/objects/object.ts'
import { immutable, invalidValue, required, unsupported } from '../faults.ts'
import type { FieldFault } from '../status.ts'
import { fieldsAt, type JsonMap, textAt } from '../value.ts'
import { each, ensured, inner, orElse } from './draft.ts'
import type { Traits } from './trait.ts'

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const isExternalName = (spec: JsonMap): boolean => spec.type === 'ExternalName'

const defaults = (draft: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  orElse(spec, 'sessionAffinity', 'None')
  orElse(spec, 'type', 'ClusterIP')
  if (spec.sessionAffinity === 'ClientIP')
    orElse(ensured(ensured(spec, 'sessionAffinityConfig'), 'clientIP'), 'timeoutSeconds', 10800)
  for (const port of each(spec, 'ports')) {
    orElse(port, 'protocol', 'TCP')
    if (!port.targetPort) port.targetPort = port.port
  }
  if (!isExternalName(spec)) orElse(spec, 'internalTrafficPolicy', 'Cluster')
  if (spec.type === 'NodePort' || spec.type === 'LoadBalancer') orElse(spec, 'externalTrafficPolicy', 'Cluster')
  if (spec.type === 'LoadBalancer') orElse(spec, 'allocateLoadBalancerNodePorts', true)
  for (const ingress of each(inner(inner(draft, 'status'), 'loadBalancer'), 'ingress'))
    if (ingress.ip) orElse(ingress, 'ipMode', 'VIP')
}

const onCreate = (draft: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  if (isExternalName(spec)) return
  orElse(spec, 'clusterIP', addressFor(draft))
  orElse(spec, 'clusterIPs', [spec.clusterIP])
  orElse(spec, 'ipFamilies', ['IPv4'])
  orElse(spec, 'ipFamilyPolicy', 'SingleStack')
  fillNodePorts(spec, draft)
}

/** An update that leaves the addresses out keeps them. */
const onUpdate = (draft: KubeObject, before: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  const old = inner(before, 'spec') ?? {}
  if (isExternalName(spec)) return
  if (isExternalName(old)) {
    onCreate(draft)
    return
  }
  for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) orElse(spec, field, old[field])
  keepNodePorts(spec, old)
  fillNodePorts(spec, draft)
}

const needsNodePorts = (spec: JsonMap): boolean =>
  spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false)

const fillNodePorts = (spec: JsonMap, draft: KubeObject): void => {
  if (!needsNodePorts(spec)) return
  for (const [index, port] of each(spec, 'ports').entries())
    if (!port.nodePort) port.nodePort = 30000 + (hash(`${seed(draft)}/${index}`) % 2768)
}

const keepNodePorts = (spec: JsonMap, old: JsonMap): void => {
  if (!needsNodePorts(spec)) return
  const before = each(old, 'ports')
  for (const port of each(spec, 'ports'))
    if (!port.nodePort)
      port.nodePort = before.find(
        ({ port: number, protocol }) => number === port.port && protocol === port.protocol,
      )?.nodePort
}

const seed = (draft: KubeObject): string => `${draft.metadata.namespace}/${draft.metadata.name}`

const hash = (text: string): number => {
  let value = 2166136261
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 16777619) >>> 0
  return value
}

/** Derived from the name, so a Service keeps its address when it is made anew. */
const addressFor = (draft: KubeObject): string => {
  const value = hash(seed(draft)) % 65_024
  return `10.96.${Math.floor(value / 254)}.${(value % 254) + 1}`
}

const faults = (object: KubeObject): FieldFault[] => {
  const spec = fieldsAt(object, 'spec') ?? {}
  const ports = each(spec, 'ports')
  const isHeadless = spec.clusterIP === 'None'
  return [
    ...(types.includes(String(spec.type)) ? [] : [unsupported('spec.type', spec.type, types)]),
    ...(ports.length === 0 && !isHeadless && !isExternalName(spec) ? [required('spec.ports')] : []),
    ...(isExternalName(spec) && !spec.externalName ? [required('spec.externalName')] : []),
    ...ports.flatMap((port, index) => portFaults(port, `spec.ports[${index}]`, ports.length > 1)),
  ]
}

const portFaults = (port: JsonMap, path: string, needsName: boolean): FieldFault[] => {
  const number = Number(port.port)
  return [
    ...(needsName && !port.name ? [required(`${path}.name`)] : []),
    ...(number >= 1 && number <= 65535
      ? []
      : [invalidValue(`${path}.port`, number, 'must be between 1 and 65535, inclusive')]),
    ...(Number(port.targetPort) === 0
      ? [invalidValue(`${path}.targetPort`, 0, 'must be between 1 and 65535, inclusive')]
      : []),
    ...(['SCTP', 'TCP', 'UDP'].includes(String(port.protocol))
      ? []
      : [unsupported(`${path}.protocol`, port.protocol, ['SCTP', 'TCP', 'UDP'])]),
  ]
}

const updateFaults = (object: KubeObject, before: KubeObject): FieldFault[] => {
  const old = textAt(before, 'spec', 'clusterIP')
  const now = textAt(object, 'spec', 'clusterIP')
  const mayChange =
    textAt(object, 'spec', 'type') === 'ExternalName' || textAt(before, 'spec', 'type') === 'ExternalName'
  return old === now || mayChange
    ? []
    : [{ ...immutable('spec.clusterIPs[0]', [now]), detail: `Invalid value: ["${now}"]: may not change once set` }]
}

export const serviceTraits: Traits = { defaults, onCreate, onUpdate, faults, updateFaults, answersDeleted: true }
