// A runtime as the Go operator leaves it: what it applied there under its own name becomes ours, and nothing of it is left beside.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { agentDeployment } from '../../../functions/kyma/desired/agent.ts'
import { agentRefs } from '../../../functions/kyma/desired/agent-objects.ts'
import { runtimeCrd } from '../../../functions/kyma/desired/runtime-objects.ts'
import { kymaCrds } from '../../../shared/api/kyma/crds.ts'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import { type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import { runCommand } from '../../../shared/main/cli/command.ts'
import { commands } from '../../../shared/main/cli/commands.ts'
import { kymaClusters } from '../../harness/kyma/kyma-clusters.ts'
import { contains, lacks, matches } from '../../harness/matches.ts'
import { testFolder } from '../../harness/test-folder.ts'
import { watcher } from '../../make/kyma/kyma.ts'

const ground = await kymaClusters(t)
const { client, far, requests, writes } = ground
const person = { fieldManager: 'person' }
const namespace = 'kyma-system'
const limits = { cpu: '100m', memory: '200Mi' }
const agent = { image: 'registry.example/espalier:1', eventAddress: 'listener.example:443', limits }
const call = () =>
  ground.settled('first', { agentImage: agent.image, eventAddress: agent.eventAddress, pullSecret: 'pull' })

const labels = { [kymaNames.labels.managedBy]: 'kyma', app: 'skr-webhook' }
const named = (name: string) => ({ name, namespace, labels })
const certificate = { 'ca.crt': 'Y2E=', 'tls.crt': 'Y2VydA==', 'tls.key': 'a2V5' }

const formerContainer = {
  name: 'server',
  image: 'registry.example/runtime-watcher:1',
  imagePullPolicy: 'Always',
  env: [{ name: 'WEBHOOK_PORT', value: '8443' }],
  ports: [{ name: 'watcher-port', containerPort: 8443 }],
  volumeMounts: [{ name: 'ssl', mountPath: '/app/etc/ssl' }],
}

const formerEntry = (name: string) => ({
  name: `${name}.operator.kyma-project.io`,
  clientConfig: { caBundle: 'Y2E=', service: { name: 'skr-webhook', namespace, path: '/validate/gone' } },
  rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }],
  failurePolicy: 'Ignore',
  sideEffects: 'NoneOnDryRun',
  admissionReviewVersions: ['v1'],
})

const [kymaDefinition] = kymaCrds()
  .filter(({ metadata }) => metadata.name === 'kymas.operator.kyma-project.io')
  .map(crd => runtimeCrd(crd as unknown as KubeObject)) as [KubeObject]
const names = (kymaDefinition.spec as { names: JsonMap }).names

/** What the Go operator applies as `lifecycle-manager`, with more in each than we have. */
const former: readonly KubeObject[] = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: named('skr-webhook'),
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'skr-webhook' } },
      template: {
        metadata: { labels: { app: 'skr-webhook' } },
        spec: {
          containers: [formerContainer],
          volumes: [{ name: 'ssl', secret: { secretName: 'skr-webhook-tls' } }],
          securityContext: { runAsUser: 10001 },
        },
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: named('skr-webhook-metrics'),
    spec: {
      selector: { app: 'skr-webhook' },
      ports: [{ name: 'http-metrics', port: 2112, targetPort: 'metrics-port' }],
    },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: named('kyma-project.io--metrics-to-watcher'),
    spec: { podSelector: { matchLabels: { app: 'skr-webhook' } }, policyTypes: ['Ingress'], ingress: [{}] },
  },
  { apiVersion: 'v1', kind: 'Secret', metadata: named('skr-webhook-tls'), data: { ...certificate, former: 'eA==' } },
  { apiVersion: 'v1', kind: 'Secret', metadata: named('pull'), data: { former: 'eA==' } },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'skr-webhook', labels },
    webhooks: [formerEntry('kcp-system.gone')],
  },
  { ...kymaDefinition, spec: { ...(kymaDefinition.spec as JsonMap), names: { ...names, categories: ['former'] } } },
]

const inControlPlane: readonly KubeObject[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'istio-system' } },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'first-webhook-tls',
      namespace: 'istio-system',
      labels: { [kymaNames.labels.purpose]: 'klm-watcher-cert-manager' },
    },
    data: certificate,
  },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'pull', namespace: 'kcp-system' }, data: { auth: 'eA==' } },
  watcher(),
]

const there = async (object: KubeObject | undefined): Promise<KubeObject> => {
  const live = object && (await far.get(refOf(object), { withManagedFields: true }))
  if (!live) throw new Error(`${object?.kind} is not there`)
  return live
}

t.test('KY-313 what the Go operator applied in a runtime is taken over whole', async t => {
  await far.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, person)
  const [deployment] = former as [KubeObject]
  for (const object of former) await far.apply(object, { fieldManager: 'lifecycle-manager', force: true })
  for (const object of inControlPlane) await client.create(object, person)
  await ground.kymaNamed('first')
  await ground.access('first', ground.runtime.kubeconfig)
  const running = { status: { replicas: 1, readyReplicas: 1 } }
  await far.patch(refOf(deployment), { type: 'merge', body: running }, { ...person, subresource: 'status' })
  await call()
  await call()
  const made = agentDeployment({ ...agent, namespace, certificate, watchers: [], pullSecret: 'pull' })
  const podOf = ({ spec }: KubeObject) =>
    (spec as { template: { spec: { containers: JsonMap[] } & JsonMap } }).template.spec
  const pod = podOf(await there(deployment))
  t.equal(pod.containers.length, 1)
  matches(t, pod.containers, podOf(made).containers)
  t.strictSame(
    (pod.volumes as JsonMap[]).map(({ name }) => name),
    ['tls'],
  )
  t.strictSame(pod.securityContext, podOf(made).securityContext)
  for (const object of former) {
    const managers = ((await there(object)).metadata.managedFields ?? []).map(entry => (entry as JsonMap).manager)
    t.notOk(managers.includes('lifecycle-manager'), refText(refOf(object)))
  }
})

t.test('KY-313 nothing of the former objects is left', async t => {
  const [, , , tls, pull, configuration, definition] = former as readonly [...KubeObject[]] as KubeObject[]
  t.strictSame(Object.keys((await there(tls)).data as JsonMap), ['ca.crt', 'tls.crt', 'tls.key'])
  t.strictSame((await there(pull)).data, { auth: 'eA==' })
  t.strictSame(
    ((await there(configuration)).webhooks as JsonMap[]).map(({ name }) => name),
    ['kcp-system.kyma-watcher.operator.kyma-project.io'],
  )
  t.equal(((await there(definition)).spec as { names: JsonMap }).names.categories, undefined)
  t.strictSame((await Promise.all(agentRefs(namespace).map(ref => far.get(ref)))).includes(undefined), false)
})

t.test('KY-313 a further call writes nothing', async t => {
  await call()
  requests.length = 0
  await call()
  t.strictSame(writes(), [])
})

t.test('SEE-51 espalier migrate --apply takes what the Go operator applied in the runtime over', async t => {
  const kubeconfig = join(testFolder(t), 'kubeconfig')
  writeFileSync(kubeconfig, ground.controlPlane.kubeconfig)
  const migrate = (...more: string[]) =>
    runCommand(commands, ['migrate', 'kyma', 'first', '-n', 'kcp-system', '--kubeconfig', kubeconfig, ...more])
  const definition = former.at(-1) as KubeObject
  const managers = async () =>
    ((await there(definition)).metadata.managedFields as JsonMap[]).map(({ manager }) => manager)
  await far.apply(definition, { fieldManager: 'lifecycle-manager', force: true })
  const shown = await migrate()
  t.strictSame([shown.code, shown.fault], [1, ''])
  const text = shown.out.replaceAll(/\s+/g, ' ')
  for (const part of ['finalizers now: operator.kyma-project.io/Kyma', 'field managers: ', 'lifecycle-manager'])
    contains(t, text, part)
  t.ok((await managers()).includes('lifecycle-manager'), 'nothing is written')
  const { code, out, fault } = await migrate('--apply')
  t.strictSame([code, fault], [0, ''])
  for (const name of ['kyma', 'mandatory-modules-install', 'purge', 'runtime-certificate'])
    contains(t, out, `${name}: `)
  t.notOk((await managers()).includes('lifecycle-manager'))
  const after = (await migrate()).out
  lacks(t, after, 'lifecycle-manager')
})
