// A Kyma whose runtime is another cluster, with a node of its own: the agent runs there as a Pod, and tells the control plane what changes.
import t from 'tap'
import manifest from '../../package.json' with { type: 'json' }
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { matches } from '../harness/matches.ts'
import { secondMachine } from '../harness/node/apart.ts'
import { commandLine, installedPods, isReady, namespace } from '../harness/node/installation.ts'
import { startNode } from '../harness/node/node.ts'
import { startSecondNode } from '../harness/node/second-node.ts'
import { scratchFolder } from '../harness/processes/scratch.ts'
import { eventually, until } from '../harness/until.ts'
import { accessSecret, kyma, watcher } from '../make/kyma/kyma.ts'

const archives = (process.env.ESPALIER_NODE_IMAGES ?? '').split(':')
const [node, second] = await Promise.all([
  startNode(scratchFolder(), archives),
  startSecondNode(scratchFolder(), archives),
])
t.teardown(() => Promise.all([node.api.close(), node.stop(), second.stop()]))
const plane = commandLine(node.kubeconfigPath)
const runtime = commandLine(second.kubeconfigPath)

const [name, agents] = ['outpost', 'kyma-system']
const image = `espalier:${manifest.version}`
const nodePort = 30_443
/** How agents reach the listener from another cluster, where no load balancer is. */
const listener: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'events', namespace },
  spec: {
    type: 'NodePort',
    selector: { 'app.kubernetes.io/name': 'espalier', 'app.kubernetes.io/component': 'host' },
    ports: [{ port: 443, targetPort: 'callbacks', nodePort }],
  },
}
const watched = { 'watched-by': 'kyma' }
const configMaps = watcher({
  spec: { resourceToWatch: { group: '', version: 'v1', resource: 'configmaps' }, labelsToWatch: watched },
})
const seconds = (began: number): string => ((performance.now() - began) / 1000).toFixed(1)

t.test('FN-189 a Kyma is Ready with its agent as a Pod in a runtime on another machine', async t => {
  for (const one of ['kcp-system', 'istio-system']) await plane.kubectl('create', 'namespace', one)
  const address = `${node.machine.address}:${nodePort}`
  const settings = JSON.stringify([`--kyma-agent-image=${image}`, `--kyma-event-address=${address}`])
  const values = ['--set-json', `host.extraArgs=${settings}`]
  await plane.helm('install', 'espalier', 'manifests/helm', '-n', namespace, '--create-namespace', ...values)
  await installedPods(plane).untilAllReady()

  const began = performance.now()
  await plane.applied(listener, configMaps, accessSecret(name, second.kubeconfig), kyma({ metadata: { name } }))
  const state = () => plane.kubectl('get', 'kyma', name, '-n', 'kcp-system', '-o', 'jsonpath={.status.state}')
  t.equal(await until(state, is => is === 'Ready', 180), 'Ready')
  t.comment(`the Kyma was Ready after ${seconds(began)} s`)
  const there = await runtime.pods(agents)
  t.strictSame(there.map(isReady), [true])
  matches(t, there, [{ spec: { nodeName: secondMachine.name, containers: [{ image }] } }])
})

t.test('FN-189 the agent tells of a change in the runtime, and the Kyma is called', async t => {
  // Nobody watches this Service, and the Kyma is called again in five minutes at the earliest.
  const service = ['service', 'skr-webhook-metrics', '-n', agents]
  const isThere = async (): Promise<boolean> => (await runtime.kubectl('get', ...service, '--ignore-not-found')) !== ''
  const staysAway = async (): Promise<boolean> => {
    await runtime.kubectl('delete', ...service, '--ignore-not-found')
    return !(await until(isThere, Boolean, 10))
  }
  await eventually('calls for earlier events are over, and nobody puts the Service back', staysAway, 120)
  const began = performance.now()
  await runtime.applied({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'x', namespace: agents, labels: watched },
  })
  t.ok(await until(isThere, Boolean, 60), 'the Kyma has been called')
  t.comment(`the Kyma was called and done after ${seconds(began)} s`)

  await t.test('the API server of the runtime reaches the agent through Service and Pod', async t => {
    const [agent] = await runtime.pods(agents)
    const metrics = await (await fetch(`http://${agent?.status.podIP}:2112/metrics`)).text()
    t.ok(Number(/^watcher_admission_request_total (\d+)$/m.exec(metrics)?.[1]) > 0, 'it was asked for a review')
  })
})

t.test('FN-189 the deletion of the Kyma takes the agent away', async t => {
  await plane.kubectl('delete', 'kyma', name, '-n', 'kcp-system', '--timeout=120s')
  await eventually('no Pod is left', async () => (await runtime.pods(agents)).length === 0, 120)
  t.equal(await runtime.kubectl('get', 'deployments,services', '-n', agents, '-o', 'name'), '')
})
