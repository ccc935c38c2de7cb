// What `espalier check` finds, from objects as an API server gives them, and the command against a cluster without an installation.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { encodedText } from '../../../shared/core/objects/secret-text.ts'
import { espalierAnnotations } from '../../../shared/core/objects/steering.ts'
import { customResources } from '../../../shared/deploy/manifests/manifests.ts'
import {
  certificateFindings,
  definitionFindings,
  goOperatorFindings,
  relayFindings,
  rightFindings,
  webhookFindings,
  workloadFindings,
} from '../../../shared/main/cli/check-findings.ts'
import { runCommand } from '../../../shared/main/cli/command.ts'
import { commands } from '../../../shared/main/cli/commands.ts'
import { issueCertificates } from '../../../shared/outside/certificates.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { clientTo } from '../../harness/clusters/cluster-client.ts'
import { established } from '../../harness/component/orchards.ts'
import { contains, matches } from '../../harness/matches.ts'
import { testFolder } from '../../harness/test-folder.ts'

const now = new Date('2026-03-01T08:00:00Z')

const deployment = (name: string, image: string, more: object = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'espalier-system' },
  spec: { template: { spec: { containers: [{ image }] } }, ...more },
  status: { availableReplicas: 1 },
})

t.test('SEE-50 hosts and relays: none, none available, another version, in order', async t => {
  matches(t, workloadFindings([], 'espalier-system'), [{ is: 'fault', says: /has no Deployment/ }])
  const away = { ...deployment('host', 'espalier:0.1.0'), status: {} }
  const all = [away, deployment('host', 'espalier:9.9.9'), deployment('relay', 'r.example/espalier:0.1.0')]
  const digest = `@sha256:${'a'.repeat(64)}`
  matches(t, workloadFindings(all, 'espalier-system'), [
    { is: 'fault', says: /espalier why deployment host -n espalier-system/ },
    { is: 'warning', says: /runs espalier:9.9.9/ },
    { is: 'ok' },
  ])
  const byDigest = ['r.example:5000/espalier', 'r.example/espalier:0.1.0', 'r.example/espalier:9.9.9']
  matches(
    t,
    byDigest.flatMap(image => workloadFindings([deployment('host', `${image}${digest}`)], 'espalier-system')),
    [{ is: 'ok' }, { is: 'ok' }, { is: 'warning' }],
  )
})

t.test('SEE-50 definitions: missing, not established, a version that is not served, in order', async t => {
  const [definition] = customResources().flatMap(({ objects }) => objects as readonly KubeObject[])
  if (!definition) throw new Error('no definition')
  const status = { conditions: [{ type: 'Established', status: 'True' }] }
  const found = { ...definition, status }
  matches(t, definitionFindings(definition, undefined), { is: 'fault', says: /does not exist: kubectl apply -k/ })
  matches(t, definitionFindings(definition, definition), { is: 'fault', says: /not Established/ })
  matches(t, definitionFindings(definition, { ...found, spec: { versions: [] } }), {
    is: 'fault',
    says: /does not serve/,
  })
  matches(t, definitionFindings(definition, found), { is: 'ok' })
})

t.test(
  'SEE-50 rights: a line for each function, with the first right that is missing and the file that brings it',
  async t => {
    const attributes = {
      group: 'a.b',
      resource: 'kymas',
      subresource: 'status',
      verb: 'update',
      namespace: 'kcp-system',
    }
    const answer = { name: 'kyma', account: 'host', attributes, isAllowed: false }
    const well = { ...answer, name: 'istio', isAllowed: true }
    t.strictSame(rightFindings([answer, answer, well]), [
      {
        is: 'fault',
        about: 'rights of kyma',
        says: 'the account host may not update kymas/status of a.b in kcp-system, and 1 more: kubectl apply -f manifests/namespaces/kcp-system.yaml',
      },
      { is: 'ok', about: 'rights of istio', says: 'has all 1' },
    ])
  },
)

t.test('SEE-50 webhooks: without trust, without endpoints, in order', async t => {
  const configuration = (caBundle: string): KubeObject => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'c' },
    webhooks: [{ name: 'w', clientConfig: { caBundle, service: { name: 's', namespace: 'n' } } }],
  })
  const slice = (ready: boolean): KubeObject => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 's-1', labels: { 'kubernetes.io/service-name': 's' } },
    endpoints: [{ conditions: { ready } }],
  })
  const rows: [caBundle: string, isReady: boolean, is: string, says: RegExp][] = [
    ['', true, 'fault', /caBundle is empty.*: kubectl logs deployment\/host -n espalier-system$/],
    ['x', false, 'fault', /Service s has no ready endpoint.*: espalier why deployment host -n espalier-system$/],
    ['x', true, 'ok', /trusted/],
  ]
  for (const [caBundle, isReady, is, says] of rows)
    matches(t, webhookFindings([configuration(caBundle)], [slice(isReady)], 'espalier-system'), [{ is, says }])
  matches(t, webhookFindings([], [], 'espalier-system'), [
    { is: 'warning', about: 'webhooks', says: /kubectl apply -k/ },
  ])
})

t.test('SEE-50 certificates: none, ended, about to end, in order, with their days', async t => {
  const days = 86_400_000
  const request = {
    renew: ['authority', 'serving'],
    commonName: 'x',
    names: ['x'],
    authorityDays: 900,
    servingDays: 90,
  } as const
  const { 'tls.crt': certificate = '' } = await issueCertificates(request, undefined)
  const now = new Date(Date.now() + 3_600_000)
  const secret = (text: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace: 'n' },
    data: { 'tls.crt': text },
  })
  const after = (passed: number) => certificateFindings(secret(certificate), new Date(now.getTime() + passed * days))
  matches(t, certificateFindings(secret(encodedText('x')), now), { is: 'fault', says: /contains no certificate/ })
  matches(
    t,
    [after(0), after(85), after(92), after(100)],
    [
      { is: 'ok', says: /expires in 89 days$/ },
      { is: 'warning', says: /expires in 4 days and was not renewed/ },
      { is: 'fault', says: /expired 3 days ago/ },
      { is: 'fault', says: /expired 11 days ago/ },
    ],
  )
})

t.test('SEE-50 relays: none lives, a shard whose relay is gone, in order', async t => {
  const lease = (name: string, role: string, spec: object): KubeObject => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: 'n', labels: { 'espalier.dev/relay-lease': role } },
    spec,
  })
  const relay = (renewTime: string) => lease('espalier-relay-a', 'relay', { renewTime, leaseDurationSeconds: 15 })
  const shard = (holderIdentity: string) => lease('espalier-relay-shard-0', 'shard', { holderIdentity })
  matches(t, relayFindings([relay('2026-03-01T07:00:00Z'), shard('a')], 'espalier-system', now), [
    { is: 'fault', says: /no function is called: espalier why deployment relay -n espalier-system$/ },
  ])
  const lives = relay('2026-03-01T07:59:50Z')
  matches(t, relayFindings([lives, shard('a')], 'espalier-system', now), [{ is: 'ok', says: '1 live' }])
  matches(t, relayFindings([lives, shard('b')], 'espalier-system', now), [
    { is: 'ok' },
    { is: 'warning', about: /shard-0/ },
  ])
})

t.test(
  'SEE-50 a Go operator that still runs is found by the name of its Deployment or image, unless it has no replicas',
  async t => {
    const rows: [deployment: KubeObject, found: RegExp | undefined][] = [
      [deployment('gardener-operator', 'x'), /keeps Gardens/],
      [deployment('x', 'r.example/kyma-project/lifecycle-manager:1'), /keeps Kymas, Manifests, Watchers, too/],
      [deployment('istio-controller-manager', 'x'), /keeps Istios.*--replicas 0/],
      [deployment('gardener-operator', 'x', { replicas: 0 }), undefined],
      [deployment('shop', 'r.example/gardener/operators:1'), undefined],
    ]
    for (const [one, found] of rows)
      matches(t, goOperatorFindings([one]), [found ? { is: 'fault', says: found } : { is: 'ok' }], one.metadata.name)
  },
)

t.test(
  'SEE-50 SEE-88 the command in a cluster without an installation: exit 2, and each line says what to do; with npm start none',
  async t => {
    const cluster = await anyCluster(t)
    const client = clientTo(t, cluster)
    const [first] = customResources()
    for (const definition of first?.objects ?? []) await established(client, definition as unknown as KubeObject)
    const kubeconfig = join(testFolder(t), 'kubeconfig')
    writeFileSync(kubeconfig, cluster.kubeconfig)
    const configurations = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' }
    const name = `${cluster.namespace}-untrusted`
    const labels = { 'app.kubernetes.io/part-of': 'espalier', 'app.kubernetes.io/managed-by': 'Helm' }
    const clientConfig = { service: { name: 's', namespace: cluster.namespace } }
    const webhook = { name: 'w.example.org', clientConfig, sideEffects: 'None', admissionReviewVersions: ['v1'] }
    await client.create(
      { ...configurations, metadata: { name, labels }, webhooks: [webhook] },
      { fieldManager: 'person' },
    )
    const system = 'espalier-system'
    for (const object of [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: system } },
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'watcher', namespace: system } },
    ])
      await client.create(object, { fieldManager: 'person' })
    const { code, out, fault } = await runCommand(commands, ['check', '--kubeconfig', kubeconfig])
    await client.delete({ ...configurations, namespace: '', name }, {})
    t.strictSame([code, fault], [2, ''])
    for (const text of [
      'ok       API server: is Kubernetes v1.',
      'no relay renews its Lease',
      // There is no Namespace kcp-system, so its rights there are not asked for.
      'fault    rights of watcher: the account watcher may not list gateways of networking.istio.io, and ',
      'has no Deployment of Espalier',
      'Go operators: none runs',
      `fault    ValidatingWebhookConfiguration ${name} webhook w.example.org: clientConfig.caBundle is empty`,
    ])
      contains(t, out.replaceAll(/\n {9}/g, ' '), text)
    t.notOk(/cannot be checked/.test(out), out)
    const annotations = { [espalierAnnotations.inProcess]: 'yes' }
    const place = { apiVersion: 'v1', kind: 'Namespace', namespace: '', name: system }
    await client.patch(place, { type: 'merge', body: { metadata: { annotations } } }, { fieldManager: 'person' })
    const started = await runCommand(commands, ['check', '--kubeconfig', kubeconfig])
    contains(t, started.out, 'host and relay: run in the process of npm start')
    t.notOk(/no Deployment|no relay|webhook/.test(started.out), started.out)
  },
)
