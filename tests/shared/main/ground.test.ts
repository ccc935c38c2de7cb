import { createHash } from 'node:crypto'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { embeddedGround } from '../../../shared/main/ground.ts'
import { startModuleRegistry } from '../../../shared/main/module-registry.ts'
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

t.test('the registry of npm start serves the versions in its folder, under the same digests in every run', async t => {
  const layer = 'kind: ConfigMap\n'
  const folder = t.testdir({ telemetry: { '1.2.3.yaml': layer, 'notes.txt': 'x' }, 'README.md': 'x' })
  const config = async (): Promise<string> => {
    const { address, stop } = await startModuleRegistry(folder)
    const at = `http://${address}/v2/component-descriptors/kyma-project.io/module/telemetry`
    const manifest = (await (await fetch(`${at}/manifests/1.2.3`)).json()) as { config: { digest: string } }
    const layerThere = await fetch(`${at}/blobs/sha256:${createHash('sha256').update(layer).digest('hex')}`)
    t.equal(await layerThere.text(), layer)
    t.equal((await fetch(`${at}/manifests/notes`)).status, 404)
    stop()
    return manifest.config.digest
  }
  t.equal(await config(), 'sha256:0200707c58d5baea63dd156efb668f9891c2b39b2aa842c88fbfe4b95d4c9b10')
})
