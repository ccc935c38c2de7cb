// Who is named for a change of a dependent, and what of a change is told.
import t from 'tap'
import { driftedRefs } from '../../../shared/component/applied/write-cause.ts'
import { objectKey } from '../../../shared/component/item.ts'
import { writerOf } from '../../../shared/component/observed/drift.ts'
import { nothingObserved } from '../../../shared/component/world.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { component, edit } from '../../harness/component/simulated-component.ts'
import { configMap, manifest } from '../../make/component/dependents.ts'

const entry = (manager: string, fieldsV1: object, more: object = {}) => ({
  manager,
  operation: 'Update',
  time: '2026-03-01T08:00:00Z',
  fieldsV1,
  ...more,
})

const live = (...managedFields: object[]): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', managedFields },
})

t.test(
  'SEE-57 the writer of a changed field: maps, named elements, quoted names, whole values; else nobody',
  async t => {
    const container = { 'f:template': { 'f:containers': { 'k:{"name":"app"}': { 'f:image': {} } } } }
    const rows: [path: string, fields: object, isWriter: boolean][] = [
      ['spec.replicas', { 'f:spec': { 'f:replicas': {} } }, true],
      ['spec.replicas', { 'f:spec': { 'f:paused': {} } }, false],
      ['spec.template.containers[app].image', { 'f:spec': container }, true],
      ['spec.template.containers[other].image', { 'f:spec': container }, false],
      ['metadata.labels["a.b/c"]', { 'f:metadata': { 'f:labels': { '.': {}, 'f:a.b/c': {} } } }, true],
      ['data.a', { 'f:data': { '.': {} } }, false],
      ['spec.args[0]', { 'f:spec': { 'f:args': {} } }, true],
    ]
    for (const [path, fields, isWriter] of rows)
      t.equal(
        writerOf(live(entry('kubectl-edit', fields)), [{ path }]),
        isWriter ? 'kubectl-edit at 2026-03-01T08:00:00Z' : undefined,
        path,
      )
    const [map, part] = [{ 'f:data': {} }, { 'f:data': { 'f:a': {} } }]
    t.equal(
      writerOf(live(entry('whole', map), entry('part', part)), [{ path: 'data.a' }]),
      'part at 2026-03-01T08:00:00Z',
    )
    const [status, fields] = [{ subresource: 'status' }, { 'f:spec': { 'f:replicas': {} } }]
    t.equal(writerOf(live(entry('kubelet', fields, status)), [{ path: 'spec.replicas' }]), undefined)
    t.equal(
      writerOf(live(entry('a', fields), entry('b', fields)), [{ path: 'spec.replicas' }]),
      'a at 2026-03-01T08:00:00Z and b at 2026-03-01T08:00:00Z',
    )
  },
)

t.test('SEE-57 values are told, but of a Secret the fields alone; of a confidential component nothing', async t => {
  const messageOf = (object: KubeObject, change: Parameters<typeof component>[0]): string | undefined => {
    const subject = component({ ...change, manifests: [object] })
    subject.settle()
    subject.waits(20)
    edit(subject, object, live => ({ ...live, data: { key: 'dGhlaXJz' } }))
    const { events } = subject.pass()
    return events.find(({ reason }) => reason === 'DriftCorrected')?.message
  }
  const secret = manifest('v1', 'Secret', 'a', { data: { key: 'b3Vycw==' } })
  t.equal(messageOf(secret, {}), 'Corrected data.key')
  t.equal(messageOf({ ...secret, kind: 'ConfigMap' }, {}), 'Corrected data.key: dGhlaXJz -> b3Vycw==')
  t.equal(
    messageOf({ ...secret, kind: 'ConfigMap' }, { isConfidential: true }),
    'Restored fields that differed from the rendered object',
  )
})

t.test('SEE-57 only what is about to be put right is asked about, and not what is known', async t => {
  const [edited, other] = [configMap('a'), configMap('b')]
  const subject = component({ manifests: [edited, other] })
  subject.settle()
  subject.waits(20)
  edit(subject, edited, live => ({ ...live, data: { key: 'theirs' } }))
  const kinds = new Map([['v1/ConfigMap', 'namespaced' as const]])
  const live = new Map([edited, other].map(object => [objectKey(object), subject.live(object) as KubeObject]))
  const [world, { now }] = [{ ...subject.question, observed: { ...nothingObserved, kinds, live } }, subject]
  t.strictSame(
    driftedRefs(world, now, 25).map(({ name }) => name),
    ['a'],
  )
  t.strictSame(driftedRefs(world, now, 0), [])
  t.strictSame(driftedRefs({ ...world, goal: 'delete' }, now, 25), [])
})
