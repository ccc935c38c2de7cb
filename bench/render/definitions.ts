// CustomResourceDefinitions as controller-gen writes them for operators that embed Pod templates: schemas that nest deep, and most of
// whose text describes fields.
import { stringify } from 'yaml'
import type { JsonMap } from '../../shared/core/json/json.ts'

/** YAML of about 350 kB; `number` tells one definition from others. */
export const definitionYaml = (number: number): string => stringify(definition(number), layout)

const layout = {
  lineWidth: 78,
  aliasDuplicateObjects: false,
  blockQuote: 'literal',
  singleQuote: true,
  indentSeq: false,
} as const

const definition = (number: number): JsonMap => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: `things${number}.bench.example.io`,
    annotations: { 'controller-gen.kubebuilder.io/version': 'v0.18.0' },
  },
  spec: {
    group: 'bench.example.io',
    names: {
      kind: `Thing${number}`,
      listKind: `Thing${number}List`,
      plural: `things${number}`,
      singular: `thing${number}`,
    },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [{ jsonPath: '.spec.replicas', name: 'Desired', type: 'integer' }],
        schema: { openAPIV3Schema: object(4) },
        subresources: { status: {} },
      },
    ],
  },
})

/** Fields of an object that nests so deep, one of each kind. */
const object = (depth: number): JsonMap => ({
  description: descriptions[depth % descriptions.length],
  type: 'object',
  required: ['name'],
  properties: Object.fromEntries([...leaves, ...(depth > 0 ? nests(depth - 1) : [])]),
})

const nests = (depth: number): [string, JsonMap][] => [
  ...['affinity', 'template'].map((name): [string, JsonMap] => [name, object(depth)]),
  [
    'containers',
    { type: 'array', description: descriptions[0], 'x-kubernetes-list-type': 'atomic', items: object(depth) },
  ],
]

const descriptions = [
  'Defaults to the value of the parent. Cannot be updated.',
  `If specified, the scheduler tries to prefer nodes that meet these terms: it may choose one that violates some of them.
The node with the greatest sum of weights is preferred; where 'weight' is 0 the term says "nothing".

More info: https://example.io/docs/concepts/scheduling#affinity`,
  'This is a beta field, which needs the feature gate DeepNesting: it is honoured only by servers that have it, and is ignored otherwise.',
]

const quantity: JsonMap = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE])?$',
  'x-kubernetes-int-or-string': true,
}

const leaves: [string, JsonMap][] = [
  [
    'name',
    { type: 'string', description: descriptions[2], maxLength: 253, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' },
  ],
  ['weight', { type: 'integer', format: 'int32', description: descriptions[1] }],
  ['optional', { type: 'boolean', default: false, description: descriptions[0] }],
  ['mode', { type: 'string', enum: ['Always', 'Never', 'IfNotPresent', ''], description: descriptions[2] }],
  ['limits', { additionalProperties: quantity, type: 'object', description: descriptions[1] }],
]
