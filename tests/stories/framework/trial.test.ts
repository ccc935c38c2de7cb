// What `tryFunction` finds: a function that does everything as it should, and others that do not.
import { join } from 'node:path'
import t from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { canary, tryFunction } from '../../../shared/main/own/trial.ts'
import { matches, rejects } from '../../harness/matches.ts'

const folder = join(import.meta.dirname, 'notes')

const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'a' } }
const secret: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'default', name: 'password' },
  stringData: { password: canary },
}

const tried = (name: string) =>
  tryFunction({
    folder,
    function: name,
    object,
    patienceSeconds: 5,
    stages: [
      {
        change: async people => {
          await people.create(secret)
          await people.create(object)
        },
        until: found => found?.metadata.annotations?.noted === 'yes',
      },
    ],
  })

t.test(
  'FW-15 a function that does everything as it should is killed after each write, and nothing is found',
  async t => {
    t.strictSame(await tried('careful'), {
      writes: ['apply ConfigMap default/a-note', 'patch ConfigMap default/a'],
      lost: [],
      refused: [],
      leaked: [],
    })
  },
)

t.test('FW-15 what a function loses when it dies, may not do and says of a Secret is found', async t => {
  const { writes, lost, refused, leaked } = await tried('forgetful')
  t.strictSame(writes, ['apply ConfigMap default/a-0', 'patch ConfigMap default/a'])
  t.equal(lost.length, 1)
  matches(
    t,
    lost[0],
    /^killed after apply ConfigMap default\/a-0: stage 1: ConfigMap default\/a-1 is .*wanted is undefined$/,
  )
  t.strictSame(refused, ['get Service default/other'])
  t.ok(leaked.length > 0)
  for (const text of leaked) matches(t, text, new RegExp(`the password is ${canary}`))
})

t.test('FW-15 a function that gets stuck after a death is found, with the write after which it died', async t => {
  const { lost } = await tried('stubborn')
  t.equal(lost.length, 1)
  matches(
    t,
    lost[0],
    /^killed after apply ConfigMap default\/a-note: stage 1 of stubborn: .* not after 5 s, .*somebody noted it already/,
  )
})

t.test('FW-15 writes that a function makes no more are found, each as the last one of its own run', async t => {
  const { writes, lost } = await tried('fickle')
  t.strictSame(writes, ['apply ConfigMap default/a-note', 'patch ConfigMap default/a'])
  const isAbsent = 'stage 1: ConfigMap default/a-note is undefined, wanted is '
  t.strictSame(
    lost.map(text => text.replace(/\{.*/, '')),
    [
      `killed after patch ConfigMap default/a: ${isAbsent}`,
      `not killed: ${isAbsent}`,
      'not killed after apply ConfigMap default/a-note: no other story had this write',
    ],
  )
})

t.test('FW-15 a function that serverless.yml does not have is refused with a sentence', async t => {
  await rejects(t, tryFunction({ folder, function: 'absent', object, stages: [] }), {
    message: 'serverless.yml has no function absent that reconciles',
  })
})
