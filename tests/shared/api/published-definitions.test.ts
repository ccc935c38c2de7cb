// Our definitions beside those that the Go operators publish. The latter are made of ours and of facts, and digests of the published files hold
// them to what they are, so neither changes unnoticed.
import t from 'tap'
import type { CustomResourceDefinition } from '../../../shared/api/custom-resource.ts'
import { gardenCrd } from '../../../shared/api/garden/spec.ts'
import { istioCrd } from '../../../shared/api/istio/crd.ts'
import { kymaCrds } from '../../../shared/api/kyma/crds.ts'
import type { JsonSchema } from '../../../shared/api/schema.ts'
import { digestOf } from '../../harness/definitions/facts.ts'
import { narrower } from '../../harness/definitions/narrower.ts'
import { goGardenDefinition, keptAsTheyCame } from '../../make/garden/go-definition.ts'
import { goIstioDefinition } from '../../make/istio/go-definition.ts'
import { goDefinitions } from '../../make/kyma/go-definitions.ts'

type Published = {
  readonly theirs: CustomResourceDefinition
  readonly ours: CustomResourceDefinition
  readonly digest: string
  /** Fields that the digest leaves out. */
  readonly without?: readonly string[]
  /** What ours refuses, for the reason in the row. */
  readonly narrower?: readonly string[]
}

/** Of lifecycle-manager 1.20.4. */
const ofKyma: Readonly<Record<string, string>> = {
  Kyma: '0112ca390918145e',
  Manifest: '2a7831943b5a5f3c',
  ModuleReleaseMeta: 'd83faa2c4b1a1839',
  ModuleTemplate: '4c2dc55a9d8bdbf5',
  Watcher: 'ccd5952d95e125e7',
}

const kindOf = ({ spec }: CustomResourceDefinition) => (spec.names as { kind: string }).kind

const kymas = goDefinitions().map((theirs, index): [string, Published] => {
  const kind = kindOf(theirs)
  return [`KY-331 ${kind}`, { theirs, ours: kymaCrds()[index] as CustomResourceDefinition, digest: ofKyma[kind] ?? '' }]
})

const rows: Readonly<Record<string, Published>> = {
  ...Object.fromEntries(kymas),
  /** Of the Kyma Istio module 1.30.0. */
  'IS-319 Istio': { theirs: goIstioDefinition(), ours: istioCrd(), digest: 'c65a2f51c84a2df5' },
  /** Of Gardener 1.150. */
  'GA-380 Garden': {
    theirs: goGardenDefinition(),
    ours: gardenCrd(),
    digest: 'fdd737b9a0d182a7',
    without: keptAsTheyCame,
    narrower: ['v1alpha1 .: spec is required'],
  },
}

for (const [name, { theirs, ours, digest, without, narrower: refused = [] }] of Object.entries(rows))
  t.test(`${name}: our definition takes what that of the Go operator takes`, async t => {
    t.equal(digestOf(theirs, without), digest, 'it is as published')
    t.strictSame(narrower(ours, theirs), refused)
  })

t.test('GA-380 what is left out of the digest is taken as it comes', async t => {
  const isFree = (schema: JsonSchema | undefined) => schema?.['x-kubernetes-preserve-unknown-fields'] === true
  const [version] = gardenCrd().spec.versions as readonly [{ schema: { openAPIV3Schema: JsonSchema } }]
  for (const path of keptAsTheyCame) {
    const steps = path.split(/\.|(?=\[\])/)
    const found = steps.reduce<JsonSchema | undefined>(
      (schema, step) => (step === '[]' ? schema?.items : schema?.properties?.[step]),
      version.schema.openAPIV3Schema,
    )
    t.ok(isFree(found), path)
  }
})

t.test('GA-380 GA-385 fields of earlier versions of Gardener are not dropped, and later ones not required', async t => {
  const text = { type: 'string' } as const
  const inside = (path: string, schema: JsonSchema): JsonSchema =>
    path
      .split('.')
      .reduceRight<JsonSchema>((inner, name) => ({ type: 'object', properties: { [name]: inner } }), schema)
  const older = [
    inside('spec.virtualCluster.kubernetes.kubeAPIServer.oidcConfig.clientAuthentication.secret', text),
    inside('status.encryptedResources', { type: 'array', items: text }),
    ...['kubernetes.kubeAPIServer', 'gardener.gardenerAPIServer'].map(server =>
      inside(`spec.virtualCluster.${server}.encryptionConfig.resources`, { type: 'array', items: text }),
    ),
  ]
  for (const openAPIV3Schema of older) {
    const theirs = { spec: { versions: [{ name: 'v1alpha1', served: true, schema: { openAPIV3Schema } }] } }
    t.strictSame(
      narrower(gardenCrd(), theirs).filter(text => /is dropped|encryptionConfig.*required/.test(text)),
      [],
    )
  }
})

/** One change of a definition, and what is told of it. */
const changes: readonly [Partial<JsonSchema>, Partial<JsonSchema>, string][] = [
  [{ pattern: 'a' }, {}, 'pattern "a"'],
  [{ enum: ['a'] }, { enum: ['a', 'b'] }, '"b" is refused'],
  [{ enum: ['a'] }, {}, 'has words'],
  [{ type: 'object', required: ['a'] }, { type: 'object' }, 'a is required'],
  [{ type: 'integer' }, { type: 'string' }, 'type "integer"'],
  [{ default: 'a' }, {}, 'default "a"'],
  [{}, { default: 'a' }, 'no default'],
  [{}, { nullable: true }, 'no nullable'],
  [{ 'x-kubernetes-list-type': 'map' }, {}, 'x-kubernetes-list-type "map"'],
  [{ 'x-kubernetes-validations': [{ rule: 'a', message: 'b' }] }, {}, 'has rules'],
]

const definition = (field: JsonSchema, more: object = { served: true }) => ({
  spec: {
    versions: [
      {
        name: 'v1',
        ...more,
        schema: { openAPIV3Schema: { properties: { list: { items: { properties: { field } } } } } },
      },
    ],
  },
})

t.test('KY-331 whatever a definition takes less is told with its place', async t => {
  for (const [ours, theirs, text] of changes)
    t.strictSame(narrower(definition(ours), definition(theirs)), [`v1 list[].field: ${text}`])
  t.strictSame(narrower({ spec: { versions: [] } }, definition({})), ['v1 is missing'])
  const free = { spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: {} } }] } }
  t.strictSame(narrower(free, definition({}, { served: true, subresources: { status: {} } })), [
    'v1 is not served',
    'v1 has no subresource status',
    'v1 list: is dropped',
  ])
  t.not(digestOf(definition({ type: 'string' })), digestOf(definition({})))
  t.equal(digestOf(definition({ description: 'a' })), digestOf(definition({ description: 'b' })))
})
