import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { metadataFault, type ShapeFault, shapeFault } from '../../../shared/api/garden/shape.ts'
import { shapeChecks } from '../../../shared/deploy/build/shape-checks.ts'
import { lacks, matches } from '../../harness/matches.ts'
import { fullGarden, garden, gardenWith, sample } from '../../make/garden/garden.ts'

const project = join(import.meta.dirname, '..', '..', '..')

t.test('the generated checks are those of the schemas, and stand alone', async t => {
  const checks = shapeChecks()
  t.ok(checks.length > 0)
  for (const { path, text } of checks) {
    t.equal(readFileSync(join(project, path), 'utf8'), text, path)
    lacks(t, text, /\brequire\s*\(|^import\b/m, 'nothing is loaded')
  }
})

t.test('generated checks take and refuse the Gardens that their schema does', async t => {
  for (const object of [garden(), sample('garden'), sample('garden-full'), fullGarden()])
    t.equal(shapeFault(object), undefined)
})

t.test('the first field that has not is told', async t => {
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

t.test('which values are good is no matter of shape', async t => {
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
