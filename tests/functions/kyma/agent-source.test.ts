// What the agent of a runtime is made of: its certificate, and whom it trusts.
import t from 'tap'
import { gatherAgentSource } from '../../../functions/kyma/gather/agent.ts'
import { kymasConcerned } from '../../../functions/kyma/gather/kymas-concerned.ts'
import { gatherRuntime } from '../../../functions/kyma/gather/runtime.ts'
import { kymaSettings } from '../../../functions/kyma/settings.ts'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { defaultValues } from '../../../shared/core/settings/setting.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'
import { processMemory } from '../../../shared/runtime/process-memory.ts'
import { matches, rejects } from '../../harness/matches.ts'
import { MemoryCluster } from '../../http/memory-cluster.ts'
import { kyma, watcher } from '../../make/kyma/kyma.ts'
import { wrongWatchers } from '../../make/kyma/wrong-watchers.ts'

const secret = (name: string, data: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'istio-system', name },
  data,
})

const foreign = secret('default-id-webhook-tls', { 'ca.crt': 'bmV3', 'tls.crt': 'Y3J0', 'tls.key': 'a2V5' })
const labels = { [kymaNames.labels.purpose]: 'klm-watcher-cert-manager' }
const own = { ...foreign, metadata: { ...foreign.metadata, labels } }
const gateway = secret('klm-istio-gateway', { 'ca.crt': 'bmV3b2xk' })
const agent = { agentImage: 'x', eventAddress: 'events.example.com:443' }
const settings = { ...defaultValues(kymaSettings), ...agent }

const sourceWith = (...objects: KubeObject[]) =>
  gatherAgentSource(kyma(), { reads: new MemoryCluster(objects).client, settings })

t.test('KY-150 the agent trusts every authority that the listener may show, not only the one of its own', async t => {
  const rest = { 'tls.crt': 'Y3J0', 'tls.key': 'a2V5' }
  matches(t, await sourceWith(own, gateway), { certificate: { 'ca.crt': 'bmV3b2xk', ...rest } })
  matches(t, await sourceWith(own), { certificate: { 'ca.crt': 'bmV3', ...rest } })
  matches(t, await sourceWith(gateway), { certificate: undefined })
})

const entriesOf = async (...watchers: KubeObject[]) =>
  (await sourceWith(...watchers))?.watchers.map(({ metadata }) => metadata.name)

for (const [name, wrong] of Object.entries(wrongWatchers))
  t.test(`KY-220 a Watcher with ${name} has no entry, and the others keep theirs`, async t => {
    t.strictSame(await entriesOf(wrong, watcher()), ['kyma-watcher'])
  })

t.test('KY-220 the longest name that fits, and any label that Kubernetes takes', async t => {
  const [name, labelsToWatch] = ['x'.repeat(217), { 'example.com/a.B_c': '', d: 'E_f.g' }]
  t.strictSame(await entriesOf(watcher({ metadata: { name }, spec: { manager: 'a.b-c', labelsToWatch } })), [name])
})

t.test(
  'KY-203 KY-231 KY-241 KY-271 the agent is another living Kyma’s as long as that has its copy in the runtime',
  async t => {
    const configuration: KubeObject = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'skr-webhook' },
      webhooks: [{ clientConfig: { service: { namespace: 'rt-7' } } }],
    }
    const annotations = { [kymaNames.annotations.ownedBy]: 'kcp-system/other' }
    const copy = kyma({ metadata: { name: 'default', namespace: 'rt-7', annotations } })
    const clusterOf = (uid: string, objects: readonly KubeObject[]) => {
      const system: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system', uid } }
      return new MemoryCluster([system, ...objects]).client
    }
    const placeBeside = async (known: readonly KubeObject[], of: Kyma, ...objects: KubeObject[]) => {
      const [local, runtime] = [clusterOf('control plane', known), clusterOf('runtime', objects)]
      const clusters = { of: async (name: string) => (name === 'local' ? local : runtime) }
      const found = await gatherRuntime(of, { reads: local, clusters, memory: processMemory(), settings })
      return found.is === 'there' ? found.agentElsewhere : found
    }
    const other = kyma({ metadata: { name: 'other' } })
    const place = (of: Kyma, ...objects: KubeObject[]) => placeBeside([other], of, ...objects)
    const there = kyma({ spec: { remote: { namespace: 'rt-7' } } })
    t.equal(await place(kyma(), configuration, copy), 'rt-7')
    t.equal(await place(kyma(), configuration), undefined, 'it was left behind')
    t.equal(await placeBeside([], kyma(), configuration, copy), undefined, 'and its copy, too')
    const unreadable = { get: () => Promise.reject(new Error('away')) } as unknown as Client
    const runtime = clusterOf('runtime', [configuration, copy])
    const context = { clusters: { of: async () => runtime }, memory: processMemory(), settings }
    await rejects(t, gatherRuntime(kyma(), { ...context, reads: unreadable }), new Error('away'))
    for (const owner of [undefined, `kcp-system/${kyma().metadata.name}`]) {
      const note = owner === undefined ? {} : { [kymaNames.annotations.ownedBy]: owner }
      const own = kyma({ metadata: { name: 'default', namespace: 'rt-7', annotations: note } })
      t.equal(await place(kyma(), configuration, own), undefined, `a Kyma there that is owned by ${owner}`)
    }
    const ours = kyma({ metadata: { name: 'default', namespace: 'rt-7', annotations: {} } })
    t.equal(await place(there, configuration, ours), undefined, 'our own')
    t.equal(await place(kyma()), undefined)
    const quiet: KubeObject = { ...configuration, webhooks: [] }
    const binding: KubeObject = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'skr-webhook' },
      subjects: [{ kind: 'ServiceAccount', namespace: 'rt-7' }],
    }
    t.equal(await place(kyma(), quiet, binding, copy), 'rt-7', 'also without Watchers')
    t.equal(await place(there, quiet, binding, ours), undefined)
    const here = { ...binding, subjects: [{ kind: 'ServiceAccount', namespace: 'kyma-system' }] }
    t.equal(await place(kyma(), configuration, here, copy), undefined, 'its account says where it is')
    for (const namespace of ['..', 'a/b'])
      t.equal(
        await place(kyma(), configuration, { ...binding, subjects: [{ kind: 'ServiceAccount', namespace }] }, copy),
        'rt-7',
        `which cannot be in ${namespace}`,
      )
  },
)

t.test(
  'KY-149 without skr-domain no operator can make the certificate; where we make it ourselves nothing is missing',
  async t => {
    const named = kyma({ metadata: { annotations: { 'skr-domain': 'one.example.com' } } })
    const definition: KubeObject = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'certificates.cert-manager.io' },
    }
    const fault = 'the Kyma has no annotation skr-domain, which must contain the domain of its runtime'
    const cases = [
      [kyma(), 'auto', [], undefined],
      [kyma(), 'auto', [definition], fault],
      [named, 'auto', [definition], undefined],
      [kyma(), 'gardener', [], fault],
      [kyma(), 'builtin', [definition], undefined],
    ] as const
    for (const [of, certificates, objects, expected] of cases) {
      const reads = new MemoryCluster([...objects]).client
      t.equal(
        (await gatherAgentSource(of, { reads, settings: { ...settings, certificates } }))?.fault,
        expected,
        certificates,
      )
    }
  },
)

t.test(
  'KY-286 what a Secret holds that was made for something else goes to no runtime, and the Kyma says so',
  async t => {
    const source = await sourceWith(foreign, gateway)
    t.strictSame(
      [source?.certificate, source?.fault],
      [undefined, 'Secret istio-system/default-id-webhook-tls already exists and does not belong to this Kyma'],
    )
    t.equal((await sourceWith(gateway))?.fault, undefined, 'one that is not there is in nobody’s way')
    t.equal((await sourceWith(own, gateway))?.fault, undefined)
  },
)

t.test('KY-293 a Kyma without a certificate names the Certificate that is in the way of its own', async t => {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'certificates.cert-manager.io' },
  }
  const certificate = (purpose: object): KubeObject => ({
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: { namespace: 'istio-system', name: 'default-id-webhook-tls', labels: { ...purpose } },
  })
  const named = kyma({ metadata: { annotations: { 'skr-domain': 'one.example.com' } } })
  const faultWith = async (...objects: KubeObject[]) =>
    (await gatherAgentSource(named, { reads: new MemoryCluster(objects).client, settings }))?.fault
  t.equal(
    await faultWith(definition, certificate({})),
    'Certificate istio-system/default-id-webhook-tls already exists and does not belong to this Kyma',
  )
  t.equal(await faultWith(definition, certificate(labels)), undefined)
  t.equal(await faultWith(definition), undefined)
  t.equal(await faultWith(certificate({})), undefined, 'we make the certificate ourselves')
  t.equal(await faultWith(definition, certificate({}), own), undefined, 'no call more while there is a certificate')
})

t.test('KY-150 what the listener trusts concerns every Kyma', async t => {
  const { client: reads } = new MemoryCluster([kyma(), kyma({ metadata: { name: 'other' } })])
  const keys = await kymasConcerned(gateway, { reads, settings }, 'MODIFIED')
  t.strictSame(
    keys.map(({ name }) => name),
    ['default-id', 'other'],
  )
})
