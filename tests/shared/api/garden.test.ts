import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import t from 'tap'
import { parse } from 'yaml'
import { gardenReferences } from '../../../shared/api/garden/references.ts'
import { gardenCrd, gardenSpec } from '../../../shared/api/garden/spec.ts'
import { gardenStatus } from '../../../shared/api/garden/status.ts'
import type { JsonSchema } from '../../../shared/api/schema.ts'
import { valueAt, without } from '../../make/field.ts'
import { fullGarden, garden, sample } from '../../make/garden/garden.ts'
import * as rules from '../../make/garden/garden-rules.ts'

const schema: JsonSchema = {
  type: 'object',
  properties: { spec: gardenSpec, status: gardenStatus },
  required: ['spec'],
}
const fields = [...walk(schema, '')]

t.test('the CRD in manifests is the one described here', async t => {
  const file = new URL('../../../manifests/crds/operator.gardener.cloud_gardens.yaml', import.meta.url)
  t.strictSame(parse(readFileSync(file, 'utf8'), { version: '1.1' }), JSON.parse(JSON.stringify(gardenCrd())))
})

t.test('exactly these fields are required, non-empty, words, defaulted, immutable', async t => {
  const found = (rule: keyof JsonSchema) => fields.filter(({ schema }) => rule in schema)
  const requiredFields = found('required').flatMap(
    ({ path, schema }) => schema.required?.map(name => join(path, name)) ?? [],
  )
  t.strictSame(requiredFields.sort(), [...rules.required, ...rules.requiredInStatus].sort())
  const nonEmpty = [...found('minLength'), ...found('minItems')]
  t.strictSame(nonEmpty.map(({ path }) => path).sort(), [...rules.nonEmpty].sort())
  t.ok(nonEmpty.every(({ schema }) => (schema.minLength ?? schema.minItems) === 1))
  t.strictSame(Object.fromEntries(found('enum').map(({ path, schema }) => [path, schema.enum])), rules.words)
  t.strictSame(Object.fromEntries(found('default').map(({ path, schema }) => [path, schema.default])), rules.defaults)
  const transitions = found('x-kubernetes-validations').flatMap(({ path, schema }) =>
    (schema['x-kubernetes-validations'] ?? []).map(({ rule, message }) => [path, `${rule}: ${message}`]),
  )
  const expected = Object.entries(rules.immutable).map(([path, message]) => [path, `self == oldSelf: ${message}`])
  t.strictSame(Object.fromEntries(transitions), Object.fromEntries(expected))
})

t.test('the full Garden has every field of the schema, and the schema every field of it', async t => {
  const full = fullGarden()
  const known = fields.map(({ path }) => path).filter(path => path !== '')
  const there = new Set(pathsIn(full, ''))
  t.strictSame(
    known.filter(path => !there.has(path)),
    [],
  )
  t.strictSame(
    [...unknownFields(full.spec, gardenSpec, 'spec'), ...unknownFields(full.status, gardenStatus, 'status')],
    [],
  )
  const inSample = new Set(pathsIn(sample('garden-full'), ''))
  const leftOut = known
    .filter(path => path.startsWith('spec') && !inSample.has(path))
    .filter(path => !/\.(domain|oidcConfig\b.*|configMapRef\.\w+)$/.test(path))
  t.strictSame(leftOut, [], 'the sample leaves out what its header says')
})

t.test('the smallest Garden is the sample, and nothing can be taken from it', async t => {
  const smallest = sample('garden')
  t.strictSame(smallest, garden())
  const accepts = validator()
  t.ok(accepts(smallest))
  for (const { path } of fields.filter(({ path }) => path && !path.startsWith('status')))
    if (valueAt(smallest, path) !== undefined && !/\.domains/.test(path))
      t.notOk(accepts(without(smallest, path)), `without ${path}`)
})

t.test('what is right is accepted, also unusual values; what is wrong is refused at its field', async t => {
  const accepts = validator()
  t.ok(accepts(fullGarden()), JSON.stringify(accepts.errors))
  for (const { name, garden } of rules.unusualGardens())
    t.ok(accepts(garden), `${name} ${JSON.stringify(accepts.errors)}`)
  for (const { name, field, garden } of rules.faultyGardens()) {
    accepts(garden)
    t.ok(
      accepts.errors?.some(error => placesOf(error).includes(field)),
      name,
    )
  }
})

t.test('an older spelling of a single domain stands without the list', async t => {
  const older = garden({
    spec: {
      runtimeCluster: { ingress: { domains: null, domain: 'ingress.example.com' } },
      virtualCluster: { dns: { domains: null, domain: 'virtual.example.com' } },
    },
  })
  t.ok(validator()(older))
})

t.test('GA-129 the full Garden refers to these objects', async t => {
  const named = gardenReferences(fullGarden()).map(({ kind, name }) => `${kind} ${name}`)
  t.strictSame(named.sort(), [
    'ConfigMap audit-policy',
    'ConfigMap authentication-configuration',
    'ConfigMap authorization-configuration',
    'ConfigMap dashboard-assets',
    'ConfigMap dashboard-frontend',
    'ConfigMap gardener-audit-policy',
    'ConfigMap landscape-ca',
    'Secret audit-kubeconfig',
    'Secret authentication-kubeconfig',
    'Secret authorization-kubeconfig',
    'Secret dashboard-github',
    'Secret dashboard-oidc',
    'Secret dashboard-oidc-ca',
    'Secret dashboard-tls',
    'Secret discovery-server-tls',
    'Secret dns-credentials',
    'Secret etcd-backup-credentials',
    'Secret gardener-admission-kubeconfig',
    'Secret gardener-audit-kubeconfig',
    'Secret image-policy-kubeconfig',
    'Secret registry-credentials',
    'Secret wildcard-certificate',
  ])
})

type Field = { path: string; schema: JsonSchema }

/** Every field a schema knows, with `[0]` for the items of lists; the inside of maps and raw objects is not known. */
function* walk(schema: JsonSchema, path: string): Generator<Field> {
  yield { path, schema }
  if (schema.items) yield* walk(schema.items, `${path}[0]`)
  for (const [name, field] of Object.entries(schema.properties ?? {})) yield* walk(field, join(path, name))
}

/** Every field a value has, with `[0]` for any item of a list. */
function pathsIn(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return [path, ...value.flatMap(item => pathsIn(item, `${path}[0]`))]
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([name, inner]) => pathsIn(inner, join(path, name)))]
}

function join(path: string, name: string): string {
  return path ? `${path}.${name}` : name
}

/** What the API server would prune. */
function unknownFields(value: unknown, schema: JsonSchema, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap(item => unknownFields(item, schema.items ?? {}, `${path}[0]`))
  if (typeof value !== 'object' || value === null || schema['x-kubernetes-preserve-unknown-fields']) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const field = schema.properties?.[name] ?? schema.additionalProperties
    return field ? unknownFields(inner, field, join(path, name)) : [join(path, name)]
  })
}

/** The schema as far as OpenAPI has it; CEL rules are for an API server. */
function validator() {
  return new Ajv({
    strict: false,
    allErrors: true,
    formats: { 'date-time': true, int32: true, int64: true, double: true },
  }).compile(schema)
}

/** Where an error may be reported: the field itself, or for an absent one its parent and its name. */
function placesOf({ instancePath, params }: { instancePath: string; params: { missingProperty?: string } }): string[] {
  const path = instancePath
    .slice(1)
    .replace(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.')
  return params.missingProperty ? [join(path, params.missingProperty)] : [path]
}
