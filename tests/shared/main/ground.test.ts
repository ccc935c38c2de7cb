import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { embeddedGround } from '../../../shared/main/ground.ts'
import { contains } from '../../harness/matches.ts'

t.test('RE-31 kubeconfigs that others could read are nobody else’s once npm start has written them', async t => {
  const state = t.testdir()
  const files = ['kubeconfig', 'runtime.kubeconfig'].map(name => join(state, name))
  for (const file of files) {
    writeFileSync(file, 'old')
    chmodSync(file, 0o644)
  }
  const settings = { state, data: undefined, kubeconfig: undefined, agreed: 'no' } as const
  const ground = await embeddedGround(settings, readLandscape('serverless.yml'))
  t.teardown(ground.stop)
  for (const file of files) {
    t.equal(statSync(file).mode & 0o777, 0o600, file)
    contains(t, readFileSync(file, 'utf8'), 'kind: Config')
  }
})
