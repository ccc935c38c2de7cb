import { createHash } from 'node:crypto'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { errorText } from '../../../shared/core/text/error-text.ts'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import { parseKubeconfig } from '../../../shared/kube/kubeconfigs/kubeconfig.ts'
import { webhookServices } from '../../../shared/main/start/in-process.ts'
import { startModuleRegistry } from '../../../shared/main/start/stand-ins.ts'
import { embeddedClusters } from '../../../shared/main/start/start-clusters.ts'
import { terminal } from '../../../shared/main/start/terminal.ts'
import { contains, matches } from '../../harness/matches.ts'

t.test('RE-31 kubeconfigs that others could read are nobody else’s once npm start has written them', async t => {
  const state = t.testdir()
  const files = ['kubeconfig', 'runtime.kubeconfig'].map(name => join(state, name))
  for (const file of files) {
    writeFileSync(file, 'old')
    chmodSync(file, 0o644)
  }
  const landscape = readLandscape('serverless.yml')
  const quiet = terminal({ isJson: false, isQuiet: true })
  const ground = await embeddedClusters(
    { state, data: undefined, port: 0 },
    { landscape, samples: [], terminal: quiet },
  )
  t.teardown(ground.stop)
  for (const file of files) {
    t.equal(statSync(file).mode & 0o777, 0o600, file)
    contains(t, readFileSync(file, 'utf8'), 'kind: Config')
  }
})

t.test(
  'webhooks of Services that nobody stands in for allow everything; those of ours fail until they are led somewhere',
  async t => {
    const services = webhookServices(['ours', 'mesh/injector'])
    const cluster = await startEmbeddedCluster({ resolveService: services.resolve })
    t.teardown(cluster.stop)
    const verdict = parseKubeconfig(cluster.kubeconfig, { allowedHosts: ['127.0.0.1'] })
    if ('refused' in verdict) throw new Error(verdict.refused.sentence)
    const client = createClient(verdict.access)
    t.teardown(client.close)
    const person = { fieldManager: 'person' }
    const asks = (resource: string, service: { namespace: string; name: string }): KubeObject => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: resource },
      webhooks: [
        {
          name: 'first.example.com',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Fail',
          clientConfig: { service },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: [resource] }],
        },
      ],
    })
    await client.create(asks('configmaps', { namespace: 'garden', name: 'gardener-resource-manager' }), person)
    await client.create(asks('serviceaccounts', { namespace: 'ours', name: 'host' }), person)
    await client.create(asks('services', { namespace: 'mesh', name: 'injector' }), person)
    const object = (kind: string) => ({ apiVersion: 'v1', kind, metadata: { name: 'one', namespace: 'default' } })
    await client.create(object('ConfigMap'), person)
    const refusal = (one: KubeObject): Promise<string> => client.create(one, person).then(() => '', errorText)
    matches(t, await refusal(object('ServiceAccount')), /service "host" not found/)
    matches(t, await refusal({ ...object('Service'), spec: { ports: [{ port: 80 }] } }), /service "injector" not found/)
    services.lead('mesh/injector', 4321)
    t.strictSame(services.resolve({ namespace: 'mesh', name: 'injector', port: 443 }), {
      host: '127.0.0.1',
      port: 4321,
    })
    t.equal(services.resolve({ namespace: 'mesh', name: 'other', port: 443 }), 'allows')
  },
)

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
