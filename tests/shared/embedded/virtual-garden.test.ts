// The virtual garden of the embedded run: it is there as long as its Deployment is, with the identity that is mounted.
import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { runVirtualGarden } from '../../../shared/embedded/garden/virtual-garden.ts'
import { authority } from '../../../shared/embedded/identity/authority.ts'
import { startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import { matches } from '../../harness/matches.ts'
import { freePorts } from '../../harness/processes/ports.ts'
import { until } from '../../harness/until.ts'

const namespace = 'garden'
const host = '127.0.0.1'
const person = { fieldManager: 'person' }

const embedded = await startEmbeddedCluster({ node: { stepMilliseconds: 0 } })
const runtime = createClient({
  server: embedded.url,
  credentials: () => ({ ca: embedded.caCert, token: embedded.adminToken }),
})
const [port = 0] = await freePorts(1)
const stop = runVirtualGarden({ runtime, namespace, host, port })
t.teardown(async () => {
  await stop()
  await runtime.close()
  await embedded.stop()
})

const name = 'api.example.com'
const [serverCa, clientCa] = [authority(), authority()]
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const serving = serverCa.serving([name])
const folder = '/srv/kubernetes'
const secrets: Record<string, Record<string, string>> = {
  apiserver: { 'tls.crt': serving.cert, 'tls.key': serving.key },
  'ca-client': { 'bundle.crt': clientCa.caCert },
  'account-key': { id_rsa: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString() },
  'account-key-bundle': { 'bundle.key': publicKey.export({ type: 'spki', format: 'pem' }).toString() },
  token: { 'static_tokens.csv': 'first,health-check,health-check,' },
}
const flags = [
  `--tls-cert-file=${folder}/apiserver/tls.crt`,
  `--tls-private-key-file=${folder}/apiserver/tls.key`,
  `--client-ca-file=${folder}/ca-client/bundle.crt`,
  `--service-account-signing-key-file=${folder}/account-key/id_rsa`,
  `--service-account-key-file=${folder}/account-key-bundle/bundle.key`,
  `--token-auth-file=${folder}/token/static_tokens.csv`,
]
const secret = (called: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: called, namespace },
  stringData: secrets[called],
})
const deployment: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'virtual-garden-kube-apiserver', namespace },
  spec: {
    selector: { matchLabels: { app: 'kubernetes' } },
    template: {
      metadata: { labels: { app: 'kubernetes' } },
      spec: {
        containers: [
          {
            name: 'kube-apiserver',
            image: 'example.com/kube-apiserver:1',
            args: flags,
            volumeMounts: Object.keys(secrets).map(called => ({ name: called, mountPath: `${folder}/${called}` })),
          },
        ],
        volumes: Object.keys(secrets).map(called => ({ name: called, secret: { secretName: called } })),
      },
    },
  },
}

const { cert: certificate, key } = clientCa.client({ commonName: 'person', organizations: ['system:masters'] })
const virtual = createClient({
  server: `https://${host}:${port}`,
  credentials: () => ({ ca: serverCa.caCert, serverName: name, certificate, key }),
})
t.teardown(virtual.close)

const admission: KubeObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'gardener-admission-controller' },
  webhooks: [
    {
      name: 'validate.gardener.cloud',
      clientConfig: { url: 'https://gardener-admission-controller.garden/webhooks/validate' },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
      failurePolicy: 'Fail',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
}

const serves = (): Promise<boolean> =>
  virtual
    .bound({ lastRequestAt: performance.now() + 500 })
    .raw({ method: 'GET', path: '/api/v1/namespaces' })
    .then(
      () => true,
      () => false,
    )

t.test('a virtual garden is served as long as its Deployment is there', async t => {
  await runtime.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, person)
  await runtime.create(deployment, person)
  t.equal(await serves(), false, 'not before its Secrets are there')
  for (const called of Object.keys(secrets)) await runtime.create(secret(called), person)
  t.equal(await until(serves, Boolean), true)
  const names = (await virtual.list({ apiVersion: 'v1', kind: 'Namespace' })).map(({ metadata }) => metadata.name)
  matches(t, names.includes('kube-system'), true)
  await virtual.create(admission, person)
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'asked-about', namespace: 'default' } }
  matches(t, await virtual.create(object, person), { metadata: { name: 'asked-about' } }, 'webhooks allow it')
  const { apiVersion, kind } = deployment
  await runtime.delete({ apiVersion, kind, namespace, name: deployment.metadata.name }, {})
  t.equal(await until(serves, isServing => !isServing), false)
})
