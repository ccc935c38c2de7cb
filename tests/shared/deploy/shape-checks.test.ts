import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { metadataFault, shapeFault } from '../../../shared/api/garden/shape.ts'
import { shapeChecks } from '../../../shared/deploy/shape-checks.ts'
import { fullGarden, garden, gardenWith, sample } from '../../make/garden.ts'

const project = join(import.meta.dirname, '..', '..', '..')

t.test('the generated checks are those of the schemas, and stand alone', async t => {
  const checks = shapeChecks()
  t.ok(checks.length > 0)
  for (const { path, text } of checks) {
    t.equal(readFileSync(join(project, path), 'utf8'), text, path)
    t.notMatch(text, /\brequire\s*\(|^import\b/m, 'nothing is loaded')
  }
})

t.test('what has the shape of a Garden', async t => {
  for (const object of [garden(), sample('garden'), sample('garden-full'), fullGarden()])
    t.equal(shapeFault(object), undefined)
})

t.test('the first field that has not is told', async t => {
  const cases: [sentence: string, fields: Record<string, unknown>, path: string, message: string][] = [
    [
      'a text for a list',
      { 'spec.runtimeCluster.networking.pods': '10.0.0.0/8' },
      'spec.runtimeCluster.networking.pods',
      'must be of type array',
    ],
    [
      'a missing field',
      { 'spec.virtualCluster.gardener': {} },
      'spec.virtualCluster.gardener.clusterIdentity',
      'is required',
    ],
    ['an item', { 'spec.dns.providers': [{ name: 'a', type: 'b' }] }, 'spec.dns.providers[0].secretRef', 'is required'],
    [
      'a word that is none of those',
      { 'spec.virtualCluster.gardener.gardenerScheduler.strategy': 'Best' },
      'spec.virtualCluster.gardener.gardenerScheduler.strategy',
      'does not fit the enum of its schema',
    ],
    [
      'an empty text',
      { 'spec.virtualCluster.kubernetes.version': '' },
      'spec.virtualCluster.kubernetes.version',
      'does not fit the minLength of its schema',
    ],
    [
      'an annotation that is no text',
      { 'metadata.annotations': { 'a/b~c': 1 } },
      'metadata.annotations.a/b~c',
      'must be of type string',
    ],
  ]
  for (const [sentence, fields, path, message] of cases)
    t.match(shapeFault(gardenWith(fields)), { path, message }, sentence)
  for (const value of [null, undefined, 1, 'x', [], {}])
    t.ok(shapeFault(value), `${JSON.stringify(value)} is no Garden`)
})

t.test('metadata is looked at without the rest', async t => {
  t.equal(metadataFault({ metadata: { annotations: { a: 'b' } }, spec: 1 }), undefined)
  t.match(metadataFault({ metadata: { finalizers: 'a' } }), {
    path: 'metadata.finalizers',
    message: 'must be of type array',
  })
})
