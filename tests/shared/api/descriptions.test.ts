import t from 'tap'
import component from '../../../shared/api/component/descriptions.json' with { type: 'json' }
import { customResourceDefinition } from '../../../shared/api/custom-resource.ts'
import usual from '../../../shared/api/descriptions.json' with { type: 'json' }
import garden from '../../../shared/api/garden/descriptions.json' with { type: 'json' }
import istio from '../../../shared/api/istio/descriptions.json' with { type: 'json' }
import kyma from '../../../shared/api/kyma/descriptions.json' with { type: 'json' }
import { about, type JsonSchema, list, mapOf, options, text } from '../../../shared/api/schema.ts'
import { customResources } from '../../../shared/deploy/manifests/manifests.ts'

type Version = { readonly storage: boolean; readonly schema: { readonly openAPIV3Schema: JsonSchema } }
type Definition = {
  readonly spec: { readonly names: { readonly kind: string }; readonly versions: readonly Version[] }
}
type Field = { readonly path: string; readonly description: string | undefined }

/** Names of lists and maps stand for their items, too. */
const fieldsIn = ({ properties = {}, items, additionalProperties }: JsonSchema, above: string): readonly Field[] => [
  ...Object.entries(properties).flatMap(([name, field]) => {
    const path = `${above}.${name}`
    return [{ path, description: field.description }, ...fieldsIn(field, path)]
  }),
  ...(items ? fieldsIn(items, above) : []),
  ...(additionalProperties ? fieldsIn(additionalProperties, above) : []),
]

const storedFields = ({ spec: { names, versions } }: Definition): readonly Field[] => {
  const { properties = {} } = versions.find(({ storage }) => storage)?.schema.openAPIV3Schema ?? {}
  const { spec = {}, status = {} } = properties
  return fieldsIn({ properties: { spec, status } }, names.kind).filter(({ path }) => !/^\w+\.status$/.test(path))
}

const files = customResources().map(({ source = '', objects }) => ({
  source,
  fields: (objects as unknown as readonly Definition[]).flatMap(storedFields),
}))

/** The most that `kubectl apply` keeps in an annotation. */
const bytesMost = 256 * 1024

t.test('FN-113 every definition can be applied in every way', async t => {
  for (const { source, objects } of customResources())
    for (const object of objects) t.ok(JSON.stringify(object).length < bytesMost, source)
})

const words = (text: string) => text.replaceAll(/[^A-Za-z]/g, '').toLowerCase()

t.test('FN-113 every field of spec and status has a sentence that is not its name', async t => {
  const fields = files.flatMap(({ fields }) => fields)
  t.ok(fields.length > 700)
  const faulty = fields.filter(
    ({ path, description = '' }) =>
      !/^\S.*\.$/.test(description) || words(description) === words(path.slice(path.lastIndexOf('.'))),
  )
  t.strictSame(faulty, [])
})

t.test('FN-113 every sentence of a file describes a field', async t => {
  for (const [folder, sentences] of Object.entries({ garden, istio, component, kyma, '': usual })) {
    const fields = files.filter(({ source }) => source.startsWith(`shared/api/${folder}`)).flatMap(one => one.fields)
    const unused = Object.entries(sentences).filter(
      ([end, sentence]) =>
        !fields.some(({ path, description }) => path.endsWith(`.${end}`) && description === sentence),
    )
    t.strictSame(unused, [], folder || 'usual')
  }
})

t.test(
  'FN-114 a definition takes the sentence with the longest path, and a description of the schema wins',
  async t => {
    const host = options({ name: text, port: about('Of the schema.', text), constructor: text })
    const { spec } = customResourceDefinition({
      group: 'example.com',
      version: 'v1',
      kind: 'Shop',
      plural: 'shops',
      scope: 'Namespaced',
      description: 'A shop.',
      descriptions: {
        name: 'Any.',
        'hosts.name': 'Of a list.',
        'spec.doors.name': 'Of a map.',
        port: 'Not taken.',
        spec: 'All.',
      },
      columns: [],
      spec: options({ name: text, hosts: list(host), doors: mapOf(host) }),
      formerVersions: [{ name: 'v1alpha1', spec: options({ name: text }) }],
    })
    const [now, former] = spec.versions as readonly Version[]
    const found = (version?: Version) =>
      fieldsIn(version?.schema.openAPIV3Schema ?? {}, '')
        .filter(({ path }) => path.startsWith('.spec'))
        .map(({ path, description }) => [path, description])
    t.strictSame(found(now), [
      ['.spec', 'All.'],
      ['.spec.name', 'Any.'],
      ['.spec.hosts', undefined],
      ['.spec.hosts.name', 'Of a list.'],
      ['.spec.hosts.port', 'Of the schema.'],
      ['.spec.hosts.constructor', undefined],
      ['.spec.doors', undefined],
      ['.spec.doors.name', 'Of a map.'],
      ['.spec.doors.port', 'Of the schema.'],
      ['.spec.doors.constructor', undefined],
    ])
    t.strictSame(found(former), [
      ['.spec', 'All.'],
      ['.spec.name', 'Any.'],
    ])
  },
)
