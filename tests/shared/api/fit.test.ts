import { Ajv } from 'ajv'
import t from 'tap'
import { keySchema, keysQuestionSchema, planQuestionSchema } from '../../../shared/api/calls.ts'
import { type Fitting, misfit } from '../../../shared/api/fit.ts'
import { metadataFault, type ShapeFault, shapeFault } from '../../../shared/api/garden/shape.ts'
import { gardenSpec } from '../../../shared/api/garden/spec.ts'
import { matches } from '../../harness/matches.ts'
import { fullGarden, garden, gardenWith, sample } from '../../make/garden/garden.ts'

type Found = { readonly path: string; readonly keyword: string }

const ajv = new Ajv({ strict: false, logger: false, unicodeRegExp: true })

/** The first fault that Ajv finds, and the first that we find. */
const compared = (schema: Fitting) => {
  const validate = ajv.compile(schema)
  return (value: unknown): { theirs: Found | undefined; ours: Found | undefined } => {
    validate(value)
    const [error] = validate.errors ?? []
    const found = misfit(schema, value)
    return {
      theirs: error && { path: error.instancePath, keyword: error.keyword },
      ours: found && { path: found.path.map(step => `/${escaped(step)}`).join(''), keyword: found.keyword },
    }
  }
}

const escaped = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1')

/** The value with each of its parts replaced by each of these, and with each part left out. */
const spoiled = (value: unknown): unknown[] => [
  ...[null, true, 1.5, '', 'x!', [], [1], {}, { other: 1 }, -2, 'a'.repeat(300)],
  ...(typeof value === 'object' && value !== null ? spoiledBelow(value) : []),
]

const spoiledBelow = (value: object): unknown[] =>
  Object.entries(value).flatMap(([key, part]) => [
    ...spoiled(part).map(bad => (Array.isArray(value) ? value.with(Number(key), bad) : { ...value, [key]: bad })),
    ...(Array.isArray(value) ? [] : [{ ...value, [key]: undefined }]),
  ])

/** The keywords for fields and types alone. */
const structure = ({ type, required, anyOf, properties, items, additionalProperties }: Fitting): Fitting => ({
  ...(type && { type }),
  ...(required && { required }),
  ...(anyOf && { anyOf }),
  ...(properties && {
    properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, structure(one)])),
  }),
  ...(items && { items: structure(items) }),
  ...(typeof additionalProperties === 'object' && { additionalProperties: structure(additionalProperties) }),
})

t.test('FN-174 the first misfit is the one that Ajv finds, whatever part of a value is spoiled', async t => {
  const stored = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b' } }
  const key = { namespace: 'n', name: 'a' }
  const cases: [name: string, schema: Fitting, values: unknown[]][] = [
    ['a key', keySchema, [key]],
    ['a question for keys', keysQuestionSchema, [{ type: 'ADDED', object: stored }]],
    ['a question for a plan', planQuestionSchema, [key, { object: stored }, { ...key, object: stored }]],
    ['a Garden', structure({ type: 'object', properties: { spec: gardenSpec } }), [{ spec: fullGarden().spec }]],
  ]
  for (const [name, schema, values] of cases) {
    const both = compared(schema)
    const pairs = values.flatMap(value => [value, ...spoiled(value)]).map(both)
    t.strictSame(
      pairs.filter(({ theirs, ours }) => JSON.stringify(theirs) !== JSON.stringify(ours)).slice(0, 3),
      [],
      name,
    )
    const faults = pairs.filter(({ ours }) => ours !== undefined).length
    t.ok(faults > 10 && faults < pairs.length, `${faults} faults in ${pairs.length} values`)
  }
})

t.test('Gardens that are valid have the shape of one', async t => {
  for (const object of [garden(), sample('garden'), sample('garden-full'), fullGarden()])
    t.equal(shapeFault(object), undefined)
})

t.test('FN-174 the first field of a Garden that is missing or of another type is named', async t => {
  const gardener = 'spec.virtualCluster.gardener'
  const cases: [sentence: string, fields: Record<string, unknown>, fault: ShapeFault][] = [
    [
      'a text for a list',
      { 'spec.runtimeCluster.networking.pods': '10.0.0.0/8' },
      {
        is: 'unfit',
        path: 'spec.runtimeCluster.networking.pods',
        value: '10.0.0.0/8',
        message: 'must be of type array',
      },
    ],
    ['a missing field', { [gardener]: {} }, { is: 'missing', path: `${gardener}.clusterIdentity` }],
    [
      'a missing field of an item',
      { 'spec.dns.providers': [{ name: 'a', type: 'b' }] },
      { is: 'missing', path: 'spec.dns.providers[0].secretRef' },
    ],
    [
      'an annotation that is no text',
      { 'metadata.annotations': { 'a/b~c': 1 } },
      { is: 'unfit', path: 'metadata.annotations.a/b~c', value: 1, message: 'must be of type string' },
    ],
  ]
  for (const [sentence, fields, fault] of cases) t.strictSame(shapeFault(gardenWith(fields)), fault, sentence)
  for (const value of [null, undefined, 1, 'x', [], {}])
    t.ok(shapeFault(value), `${JSON.stringify(value)} is no Garden`)
})

t.test('which values are good is not judged by the shape', async t => {
  const fields = {
    'spec.virtualCluster.kubernetes.version': '',
    'spec.runtimeCluster.ingress.controller.kind': 'other',
  }
  t.equal(shapeFault(gardenWith(fields)), undefined)
})

t.test('metadata is looked at without the rest', async t => {
  t.equal(metadataFault({ metadata: { annotations: { a: 'b' } }, spec: 1 }), undefined)
  matches(t, metadataFault({ metadata: { finalizers: 'a' } }), {
    path: 'metadata.finalizers',
    message: 'must be of type array',
  })
})
