// Field and label selectors of requests, and the fields by which each kind can be selected.
import { LabelSelectorError, parseLabelSelector as parse, type Requirement } from '../../core/objects/label-selector.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import type { Kind } from '../kinds/kind.ts'
import { labelValueFaults, qualifiedNameFaults } from '../names.ts'
import { badRequest } from '../status.ts'
import { at } from '../value.ts'

type FieldRequirement = { readonly field: string; readonly isEqual: boolean; readonly value: string }

const event = [
  'involvedObject.kind',
  'involvedObject.namespace',
  'involvedObject.name',
  'involvedObject.uid',
  'involvedObject.apiVersion',
  'involvedObject.resourceVersion',
  'involvedObject.fieldPath',
  'reason',
  'reportingComponent',
  'source',
  'type',
]
const eventV1 = event.map(field =>
  field.replace('involvedObject', 'regarding').replace('reportingComponent', 'reportingController'),
)

/** Selectable fields by collection, besides metadata.name and metadata.namespace. */
const selectable: Record<string, readonly string[]> = {
  pods: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.podIPs',
    'status.nominatedNodeName',
  ],
  events: [...event, ...eventV1],
  secrets: ['type'],
  namespaces: ['status.phase'],
  nodes: ['spec.unschedulable'],
  replicationcontrollers: ['status.replicas'],
  services: ['spec.clusterIP', 'spec.type'],
  'apps/replicasets': ['status.replicas'],
  'batch/jobs': ['status.successful'],
  'certificates.k8s.io/certificatesigningrequests': ['spec.signerName'],
}

/** Parses `a.b=c,d!=e`. Refuses fields by which the kind cannot be selected. */
export const parseFieldSelector = (text: string, kind: Kind): FieldRequirement[] =>
  text
    .split(',')
    .filter(part => part !== '')
    .map(part => requirementOf(part, text))
    .map(requirement => checked(requirement, kind))

const requirementOf = (part: string, text: string): FieldRequirement => {
  const match = /^([^!=]+)(!=|==|=)(.*)$/.exec(part)
  if (!match) throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`)
  const [, field = '', operator, value = ''] = match
  return { field, isEqual: operator !== '!=', value: value.replace(/\\(.)/g, '$1') }
}

const checked = (requirement: FieldRequirement, kind: Kind): FieldRequirement => {
  const { field } = requirement
  const isMeta = field === 'metadata.name' || (field === 'metadata.namespace' && (kind.namespaced || !kind.custom))
  const isKnown =
    isMeta || selectable[kind.collection]?.includes(field) || kind.custom?.selectableFields.includes(field)
  if (!isKnown) throw badRequest(refusal(field, kind))
  return requirement
}

const refusal = (field: string, kind: Kind): string =>
  kind.custom || selectable[kind.collection]
    ? `field label not supported: ${field}`
    : `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`

const alias: Record<string, string> = { source: 'source.component', 'status.successful': 'status.succeeded' }

const fieldText = (object: KubeObject, field: string): string => {
  const found = at(object, ...(alias[field] ?? field).split('.'))
  if (found !== undefined && typeof found !== 'object') return String(found)
  return emptyAs[field] ?? ''
}

const emptyAs: Record<string, string> = {
  'spec.unschedulable': 'false',
  'spec.hostNetwork': 'false',
  'status.replicas': '0',
  'status.successful': '0',
}

export const matchesFields = (requirements: readonly FieldRequirement[], object: KubeObject): boolean =>
  requirements.every(({ field, isEqual, value }) => (fieldText(object, field) === value) === isEqual)

/** The name if the selector allows only one name. A list is then a look-up. */
export const selectedName = (requirements: readonly FieldRequirement[]): string | undefined =>
  requirements.find(({ field, isEqual }) => field === 'metadata.name' && isEqual)?.value

export { matchesLabels, structuredSelector } from '../../core/objects/label-selector.ts'

/** Parses `a=b,c in (d,e),!f`. Throws a 400. */
export const parseLabelSelector = (text: string): Requirement[] => {
  try {
    return parse(text, faultOf)
  } catch (error) {
    throw error instanceof LabelSelectorError ? badRequest(error.message) : error
  }
}

const faultOf = ({ key, values }: Requirement): string | undefined => {
  const [keyFault] = qualifiedNameFaults(key)
  if (keyFault) return invalid('key', key, keyFault)
  const value = values.find(value => labelValueFaults(value).length > 0)
  return value === undefined ? undefined : invalid(`values[0][${key}]`, value, labelValueFaults(value)[0])
}

const invalid = (field: string, value: string, fault: string | undefined): string =>
  `unable to parse requirement: ${field}: Invalid value: ${JSON.stringify(value)}: ${fault}`
