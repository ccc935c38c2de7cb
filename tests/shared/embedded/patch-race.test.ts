// Two who patch one object at the same time, while a webhook thinks about the first patch.
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import { newAuthority } from '../../harness/clients/certificates.ts'
import { base64 } from '../../harness/clients/kubeconfig.ts'
import { rejects } from '../../harness/matches.ts'

const cluster = await startEmbeddedCluster()
t.teardown(cluster.stop)
const client = createClient({
  server: cluster.url,
  credentials: () => ({ ca: cluster.caCert, token: cluster.adminToken }),
})
t.teardown(client.close)
const writer = { fieldManager: 'person' }
const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'shared' }
const { resourceVersion } = (
  await client.create(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: ref.name, namespace: ref.namespace } },
    writer,
  )
).metadata

const authority = await newAuthority('webhook')
const { certificate, key } = await authority.serving({ ip: ['127.0.0.1'] })
const asked = Promise.withResolvers<void>()
const thought = Promise.withResolvers<void>()
let calls = 0
const server = createServer({ cert: certificate, key }, async (request, response) => {
  const review = JSON.parse(Buffer.concat(await request.toArray()).toString())
  if (++calls === 1) {
    asked.resolve()
    await thought.promise
  }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ ...review, response: { uid: review.request.uid, allowed: true } }))
}).listen(0, '127.0.0.1')
await once(server, 'listening')
t.teardown(() => {
  server.close()
  server.closeAllConnections()
})
const { port } = server.address() as AddressInfo
await client.create(
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'thinks' },
    webhooks: [
      {
        name: 'thinks.example.com',
        clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle: base64(authority.certificate) },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['UPDATE'] }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 30,
      },
    ],
  },
  writer,
)

t.test('a patch that another one overtook is made anew; one that is bound to a version is refused', async t => {
  const patch = (data: object, metadata: object = {}) =>
    client.patch(ref, { type: 'merge', body: { data, metadata } }, writer)
  const slow = patch({ slow: 'yes' })
  await asked.promise
  await patch({ quick: 'yes' })
  thought.resolve()
  await slow
  t.strictSame((await client.get(ref))?.data, { quick: 'yes', slow: 'yes' })
  await rejects(t, patch({ late: 'yes' }, { resourceVersion }), { code: 409 })
})
