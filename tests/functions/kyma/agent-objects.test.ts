// The objects of the agent in a runtime. What is in each of them is golden, a file each.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import type { Agent } from '../../../functions/kyma/desired/agent.ts'
import { agentObjects, agentRefs } from '../../../functions/kyma/desired/agent-objects.ts'
import { watchedIn } from '../../../functions/runtime-watcher/decide.ts'
import { type KubeObject, type ObjectRef, refOf, refText } from '../../../shared/core/objects/object.ts'
import { encodedText } from '../../../shared/core/objects/secret-text.ts'
import { settingsFrom } from '../../../shared/http/settings/config.ts'
import { runtimeWatcherSettings } from '../../../shared/http/settings/runtime-watcher-settings.ts'
import { matches } from '../../harness/matches.ts'
import { watcher } from '../../make/kyma/kyma.ts'

const ofSecrets = watcher({
  metadata: { name: 'secrets', labels: { 'operator.kyma-project.io/managed-by': 'btp-manager' } },
  spec: {
    resourceToWatch: { group: '', version: 'v1', resource: 'secrets' },
    labelsToWatch: { 'app.kubernetes.io/name': 'sap' },
  },
})
const ofStatus = watcher({
  metadata: { name: 'istio' },
  spec: {
    field: 'status',
    manager: 'istio-manager',
    resourceToWatch: { group: 'operator.kyma-project.io', version: 'v1alpha2', resource: 'istios' },
  },
})

const agent = (change: Partial<Agent> = {}): Agent => ({
  namespace: 'kyma-system',
  image: 'registry.example/espalier:0.1.0',
  limits: { cpu: '100m', memory: '200Mi' },
  eventAddress: 'listener.kcp.example:4443',
  watchers: [watcher(), ofStatus, ofSecrets],
  certificate: { 'ca.crt': 'Y2E=', 'tls.crt': 'Y2VydA==', 'tls.key': 'a2V5' },
  ...change,
})

const golden = (file: string): KubeObject =>
  parse(readFileSync(join(import.meta.dirname, 'golden', 'agent', file), 'utf8'))

const fileOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}.yaml`

t.test('KY-146 the objects of the agent, golden', async t => {
  const objects = agentObjects(agent())
  t.strictSame(objects.map(fileOf).sort(), readdirSync(join(import.meta.dirname, 'golden', 'agent')).sort())
  for (const object of objects) t.strictSame(object, golden(fileOf(object)), fileOf(object))
})

t.test('KY-146 what is made for the agent is what the deletion of a Kyma takes away', async t => {
  const names = (refs: readonly ObjectRef[]) => refs.map(refText).sort()
  t.strictSame(names(agentRefs('kyma-system')), names(agentObjects(agent()).map(refOf)))
})

const found = (kind: string, change: Partial<Agent> = {}): KubeObject =>
  only(agentObjects(agent(change)).find(object => object.kind === kind))

const only = (object: KubeObject | undefined): KubeObject => {
  if (object === undefined) throw new Error('there is no such object')
  return object
}

t.test('KY-145 each Watcher has one entry, whatever their order', async t => {
  const names = ({ webhooks }: KubeObject) => (webhooks as { name: string }[]).map(({ name }) => name)
  const configuration = found('ValidatingWebhookConfiguration')
  t.strictSame(names(configuration), [
    'kcp-system.istio.operator.kyma-project.io',
    'kcp-system.kyma-watcher.operator.kyma-project.io',
    'kcp-system.secrets.operator.kyma-project.io',
  ])
  const reversed = { watchers: [ofSecrets, ofStatus, watcher()] }
  t.strictSame(found('ValidatingWebhookConfiguration', reversed), configuration)
  t.strictSame(found('ClusterRole', reversed), found('ClusterRole'))
  t.strictSame(names(found('ValidatingWebhookConfiguration', { watchers: [] })), [])
})

t.test('KY-311 the API server is to trust the certificate of the agent alone, not who signed it', async t => {
  const [own, signer] = ['MIIown', 'MIIsigner'].map(
    text => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`,
  ) as [string, string]
  const certificate = { 'ca.crt': encodedText(signer), 'tls.crt': encodedText(own + signer), 'tls.key': 'a2V5' }
  const { webhooks } = found('ValidatingWebhookConfiguration', { certificate, watchers: [watcher()] })
  matches(t, webhooks, [{ clientConfig: { caBundle: encodedText(own.trim()) } }])
})

t.test('KY-176 the agent reads of the entries what to watch, and its role lets it', async t => {
  const watched = watchedIn(found('ValidatingWebhookConfiguration'))
  const own = { group: 'operator.kyma-project.io', labelSelector: '' }
  t.strictSame(watched, [
    { ...own, manager: 'istio-manager', version: 'v1alpha2', resource: 'istios', part: 'status' },
    { ...own, manager: 'lifecycle-manager', version: '*', resource: 'kymas', part: 'spec' },
    {
      manager: 'btp-manager',
      group: '',
      version: 'v1',
      resource: 'secrets',
      part: 'spec',
      labelSelector: 'app.kubernetes.io/name=sap',
    },
  ])
  const rules = found('ClusterRole').rules as { apiGroups: string[]; resources: string[]; verbs: string[] }[]
  for (const { group, resource } of watched) {
    const rule = rules.find(({ apiGroups, resources }) => apiGroups.includes(group) && resources.includes(resource))
    t.strictSame(rule?.verbs, ['list', 'watch'], resource)
  }
})

t.test('KY-338 for a Watcher of every resource the agent is called, and gets no right to read everything', async t => {
  const toWatch = (name: string, group: string, resource: string) =>
    watcher({ metadata: { name }, spec: { resourceToWatch: { group, version: 'v1', resource } } })
  const watchers = [toWatch('all', '*', '*'), toWatch('group', 'apps', '*'), toWatch('parts', 'apps', '*/scale')]
  matches(t, found('ValidatingWebhookConfiguration', { watchers: watchers.slice(0, 1) }).webhooks, [
    { rules: [{ apiGroups: ['*'], resources: ['*'] }] },
  ])
  const rules = found('ClusterRole', { watchers: [...watchers, toWatch('pods', '', 'pods')] }).rules as object[]
  matches(t, rules, [{ resourceNames: ['skr-webhook'] }, { apiGroups: [''], resources: ['pods'] }])
  t.equal(rules.length, 2)
})

t.test(
  'KY-146 the program takes the environment of the Deployment; a pull Secret and the certificate reach its Pods',
  async t => {
    const { template } = (found('Deployment', { pullSecret: 'pull' }).spec ?? {}) as { template: PodTemplate }
    const [container] = template.spec.containers
    const environment = Object.fromEntries(container?.env.map(({ name, value }) => [name, value]) ?? [])
    const read = settingsFrom(runtimeWatcherSettings, { program: 'x', flags: [], environment })
    matches(t, read, { is: 'settings', settings: { controlPlane: 'listener.kcp.example:4443', webhookPort: 8443 } })
    const known = Object.values(runtimeWatcherSettings).map(({ env }): string => env)
    t.strictSame(
      Object.keys(environment).filter(name => !known.includes(name)),
      [],
    )
    t.strictSame(template.spec.imagePullSecrets, [{ name: 'pull' }])
    const certificate = { ...agent().certificate, 'tls.crt': 'bmV3' }
    const renewed = found('Deployment', { certificate }).spec as { template: PodTemplate }
    t.not(renewed.template.metadata.labels[trigger], template.metadata.labels[trigger])
  },
)

const trigger = 'operator.kyma-project.io/pod-restart-trigger'

type PodTemplate = {
  metadata: { labels: Record<string, string> }
  spec: { containers: { env: { name: string; value: string }[] }[]; imagePullSecrets?: object[] }
}
