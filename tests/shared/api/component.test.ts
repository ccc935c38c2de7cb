// The kind Component as it is described, and that the engine says nothing in a status that the description does not know.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { componentCrd } from '../../../shared/api/component/crd.ts'
import { componentSpec } from '../../../shared/api/component/spec.ts'
import { componentStatus } from '../../../shared/api/component/status.ts'
import type { JsonSchema } from '../../../shared/api/schema.ts'
import { itemsOf } from '../../../shared/component/item.ts'
import { componentStates } from '../../../shared/component/reported/component-state.ts'
import { matches } from '../../harness/matches.ts'

const at = (schema: JsonSchema, ...path: readonly string[]): JsonSchema =>
  path.reduce<JsonSchema>((inner, field) => (field === '*' ? inner.items : inner.properties?.[field]) ?? {}, schema)

t.test('the CRD in manifests is the one described here', async t => {
  const file = new URL('../../../manifests/crds/core.espalier.dev_components.yaml', import.meta.url)
  t.strictSame(parse(readFileSync(file, 'utf8'), { version: '1.1' }), JSON.parse(JSON.stringify(componentCrd())))
})

t.test('the definition of Component has its names, columns and defaults', async t => {
  const { names, scope, versions } = componentCrd().spec as { names: object; scope: string; versions: Version[] }
  matches(t, names, { kind: 'Component', plural: 'components', shortNames: ['comp'] })
  t.equal(scope, 'Namespaced')
  const [{ additionalPrinterColumns: columns, subresources } = noVersion] = versions
  t.strictSame(
    columns.map(({ name }) => name),
    ['State', 'Ready', 'Revision', 'Message', 'Age'],
  )
  t.strictSame(subresources, { status: {} })
  t.strictSame(componentStatus.default, { observedGeneration: -1 })
  t.equal(at(componentSpec, 'valuesFrom', '*', 'key').default, 'values.yaml')
  t.strictSame(componentSpec.required, ['source'])
})

type Version = { additionalPrinterColumns: { name: string }[]; subresources: object }
const noVersion: Version = { additionalPrinterColumns: [], subresources: {} }

t.test('what the engine stores has a place in the status', async t => {
  t.strictSame(at(componentStatus, 'state').enum, componentStates)
  const [item = {}] = itemsOf([{ version: 'v1', kind: 'ConfigMap', name: 'a' }])
  const { items, description = '' } = at(componentStatus, 'inventory')
  t.equal(items?.['x-kubernetes-preserve-unknown-fields'], true)
  t.strictSame(
    Object.keys(item).filter(field => !description.split(/\W+/).includes(field)),
    [],
  )
})
