// Espalier installed for real: the image of this commit, by its chart, on a node whose kubelet starts containers. The stories follow each
// other as in the life of an installation.
import { globSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { contains } from '../harness/matches.ts'
import { cgroupOf } from '../harness/node/apart.ts'
import { webImage } from '../harness/node/images.ts'
import {
  commandLine,
  component,
  installedPods,
  isReady,
  names,
  namespace,
  type Pod,
  textComponent,
  textIn,
} from '../harness/node/installation.ts'
import { startNode } from '../harness/node/node.ts'
import { reviews, wrongGarden } from '../harness/node/review-load.ts'
import { scratchFolder } from '../harness/processes/scratch.ts'
import { eventually, until } from '../harness/until.ts'

/** After anything that a node or a person does to Pods. */
const readySeconds = 30

const secondsSince = (began: number): string => ((performance.now() - began) / 1000).toFixed(1)
const began = performance.now()
const node = await startNode(scratchFolder(), (process.env.ESPALIER_NODE_IMAGES ?? '').split(':'))
t.comment(`the node was Ready after ${secondsSince(began)} s`)
t.teardown(() => Promise.all([node.api.close(), node.stop()]))
const installed = commandLine(node.kubeconfigPath)
const { kubectl, helm, applied, pods } = installed
const { ours, allReady, untilAllReady, untilReplaced } = installedPods(installed)

const textOf = (name: string): Promise<string> => textIn(installed, name)

/** All objects of all kinds but those that Kubernetes makes and forgets by itself. */
const everything = async (): Promise<string[]> => {
  const passing = [
    'events',
    'events.events.k8s.io',
    'leases.coordination.k8s.io',
    'componentstatuses',
    'pods.metrics.k8s.io',
  ]
  const kinds = (await kubectl('api-resources', '--verbs=list', '-o', 'name')).trim().split('\n')
  const shown = '{range .items[*]}{.kind} {.metadata.namespace}/{.metadata.name}{"\\n"}{end}'
  const lists: string[] = []
  for (const kind of kinds.filter(kind => !passing.includes(kind)))
    lists.push(await kubectl('get', kind, '-A', '-o', `jsonpath=${shown}`))
  return [...new Set(lists.join('').split('\n'))].filter(Boolean).sort()
}

const before = await everything()

t.test(
  'FN-186 the chart brings hosts and relays up under the restricted standard, which the namespace enforces',
  async t => {
    await kubectl('create', 'namespace', namespace)
    await kubectl('label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted')
    await kubectl('create', 'namespace', 'shop')
    const installed = performance.now()
    await helm('install', 'espalier', 'manifests/helm', '--namespace', namespace)
    await untilAllReady()
    t.comment(`Ready ${secondsSince(installed)} s after helm install began`)
    t.strictSame((await pods(namespace)).map(component).sort(), ['host', 'host', 'relay', 'relay'])
    const sources = (await ours('relay'))
      .flatMap(({ spec }) => spec.volumes)
      .flatMap(({ projected }) => projected?.sources ?? [])
    t.ok(sources.some(({ serviceAccountToken }) => serviceAccountToken && 'audience' in serviceAccountToken))
    const policies = await kubectl('get', 'networkpolicies', '-n', namespace, '-o', 'name')
    t.not(policies.trim(), '', 'NetworkPolicies were accepted')

    await t.test(
      'a relay proves itself to a host by the token that kubelet projects: a Component is called',
      async t => {
        await applied(textComponent('first', 'hello'))
        t.equal(
          await until(
            () => textOf('first'),
            text => text === 'hello',
            60,
          ),
          'hello',
        )
      },
    )

    await t.test('the API server reaches webhooks through Service and Pod', async t => {
      const refusal = () =>
        applied(wrongGarden).then(
          () => 'accepted',
          (error: Error) => error.message,
        )
      contains(t, await until(refusal, text => text.includes('overlaps'), 60), 'overlaps 10.1.0.0/16 in')
    })
  },
)

const cgroupFile = (uid: string, id: string, file: string): string => {
  const [found] = globSync(
    `/sys/fs/cgroup/${file.split('.')[0]}/${cgroupOf(node.machine)}/kubepods/**/pod${uid}/${id}/${file}`,
  )
  return found === undefined ? '' : readFileSync(found, 'utf8')
}

t.test('FN-187 each container stays below what its Pod requests and may have', async t => {
  for (const pod of await pods(namespace)) {
    const [container] = pod.spec.containers
    const id = pod.status.containerStatuses?.[0]?.containerID.replace('containerd://', '') ?? ''
    const cpu = () => Number(cgroupFile(pod.metadata.uid, id, 'cpuacct.usage')) / 1e6
    const [first, since] = [cpu(), performance.now()]
    await wait(5_000)
    const milli = (1000 * (cpu() - first)) / (performance.now() - since)
    const rss = Number(/^total_rss (\d+)$/m.exec(cgroupFile(pod.metadata.uid, id, 'memory.stat'))?.[1]) / 2 ** 20
    const { requests = {}, limits = {} } = container?.resources ?? {}
    t.comment(
      `${component(pod)}: ${rss.toFixed(0)} MiB, ${milli.toFixed(0)}m of CPU at rest; requests ${requests.memory} and ${requests.cpu}, limit ${limits.memory}`,
    )
    t.ok(rss > 10 && rss < Number.parseInt(limits.memory ?? '', 10), `${rss} MiB`)
  }
})

const webComponent = (version: number, replicas: number): object => ({
  apiVersion: 'core.espalier.dev/v1alpha1',
  kind: 'Component',
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    source: {
      manifests: [
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'web' },
          spec: {
            replicas,
            selector: { matchLabels: { app: 'web' } },
            template: {
              metadata: { labels: { app: 'web' } },
              spec: {
                terminationGracePeriodSeconds: 1,
                containers: [
                  {
                    name: 'web',
                    image: webImage(version),
                    readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
                  },
                ],
              },
            },
          },
        },
        {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'web' },
          spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
        },
      ],
    },
  },
})

t.test('FN-188 a Component whose image really runs becomes Ready, is updated and deleted', async t => {
  const state = () => kubectl('get', 'component', 'web', '-n', 'shop', '-o', 'jsonpath={.status.state}')
  const isReadyNow = async (): Promise<boolean> => (await state()) === 'Ready'
  const served = async (): Promise<string> => {
    const address = await kubectl('get', 'service', 'web', '-n', 'shop', '-o', 'jsonpath={.spec.clusterIP}')
    return fetch(`http://${address}/`).then(answer => answer.text(), String)
  }
  await applied(webComponent(1, 1))
  await eventually('the Component is Ready', isReadyNow, 60)
  t.equal(await until(served, text => text === 'web 1\n', 30), 'web 1\n', 'through its Service')
  await applied(webComponent(2, 2))
  t.equal(await until(served, text => text === 'web 2\n', 60), 'web 2\n')
  await eventually(
    'two Pods of the second version are Ready',
    async () => {
      const there = await pods('shop', '-l', 'app=web')
      return there.length === 2 && there.every(isReady) && (await isReadyNow())
    },
    60,
  )
  await kubectl('delete', 'component', 'web', '-n', 'shop', '--timeout=60s')
  t.equal(await kubectl('get', 'deployments,services', '-n', 'shop', '-o', 'name'), '')
  t.strictSame(
    names(
      await until(
        () => pods('shop'),
        there => there.length === 0,
        60,
      ),
    ),
    [],
  )
})

t.test('RE-79 Pods are replaced one after the other under 50 reviews a second, and none fails', async t => {
  const former = names(await pods(namespace))
  const load = reviews(t, node.api, 50)
  const restarted = performance.now()
  await kubectl('rollout', 'restart', 'deployment', 'host', 'relay', '-n', namespace)
  await untilReplaced(former)
  t.comment(`all Pods were new and Ready after ${secondsSince(restarted)} s`)
  const { sent, count, failures } = await load.stop()
  t.comment(sent)
  t.ok(count > 500, sent)
  t.strictSame(failures.slice(0, 5), [])
})

let change = 0

/** What is written right after the harm is done, and everything is Ready again within the time. */
const recovers = async (t: Test, harm: string, since = performance.now()): Promise<void> => {
  const text = `change ${++change}`
  await applied(textComponent('first', text), textComponent(`new-${change}`, text))
  const left = () => readySeconds - (performance.now() - since) / 1000
  const done = async (): Promise<boolean> =>
    (await textOf('first')) === text && (await textOf(`new-${change}`)) === text && (await allReady())
  const isDone = await until(done, Boolean, Math.max(1, left()))
  t.comment(`${harm}: Ready, and nothing lost, after ${secondsSince(since)} s`)
  t.ok(isDone, harm)
}

t.test('RE-80 a container that is killed is started again, and nothing is lost', async t => {
  for (const which of ['host', 'relay']) {
    const [pod] = await ours(which)
    const status = () => pods(namespace, `--field-selector=metadata.name=${pod?.metadata.name}`)
    const [{ containerID = '', restartCount = 0 } = {}] = pod?.status.containerStatuses ?? []
    const tasks = await node.ctr('tasks', 'ls')
    const pid = new RegExp(`^${containerID.replace('containerd://', '')} +(\\d+) `, 'm').exec(tasks)?.[1]
    t.ok(pid, `${which} has a process`)
    const since = performance.now()
    process.kill(Number(pid), 'SIGKILL')
    await eventually(
      'kubelet has seen it',
      async () => {
        const [now] = await status()
        return (now?.status.containerStatuses?.[0]?.restartCount ?? 0) > restartCount
      },
      readySeconds,
    )
    await recovers(t, `kill -9 of a ${which}`, since)
  }
})

t.test('RE-81 a Pod that is deleted is replaced, and nothing is lost', async t => {
  for (const which of ['host', 'relay']) {
    const [pod] = await ours(which)
    const since = performance.now()
    await kubectl('delete', 'pod', pod?.metadata.name ?? '', '-n', namespace, '--wait=false')
    await recovers(t, `deletion of a ${which}`, since)
  }
})

t.test(
  'RE-81 a node is drained: the disruption budget keeps one of each, and once there is room all are Ready',
  async t => {
    const former = names(await pods(namespace))
    const drained = kubectl(
      'drain',
      node.machine.name,
      `--pod-selector=app.kubernetes.io/name=espalier`,
      '--timeout=180s',
    )
    await eventually(
      'a host and a relay wait for a node',
      async () => {
        const waiting = (await pods(namespace)).filter(({ status }) =>
          (status.conditions ?? []).some(({ type, status }) => type === 'PodScheduled' && status === 'False'),
        )
        return new Set(waiting.map(component)).size === 2
      },
      60,
    )
    for (const which of ['host', 'relay'])
      t.equal((await ours(which)).filter(isReady).length, 1, `one ${which} is left`)
    await kubectl('uncordon', node.machine.name)
    await drained
    await recovers(t, 'a drained node')
    t.strictSame(
      names(await pods(namespace)).filter(name => former.includes(name)),
      [],
    )
  },
)

/** Of one Pod, the sum of a series over all labels. */
const counted = async ({ status }: Pod, series: string): Promise<number> => {
  const text = await (await fetch(`http://${status.podIP}:8080/metrics`)).text()
  const values = [...text.matchAll(new RegExp(`^${series}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))]
  return values.reduce((sum, [, value]) => sum + Number(value), 0)
}

const shopComponents = '/apis/core.espalier.dev/v1alpha1/namespaces/shop/components'
const manyComponents = 1_000

/** Makes them all at once. Returns the seconds until each has its ConfigMap. */
const madeMany = async (): Promise<string> => {
  const names = Array.from({ length: manyComponents }, (_, at) => `many-${at}`)
  const since = performance.now()
  await Promise.all(names.map(name => node.api.call('POST', shopComponents, { body: textComponent(name, 'one') })))
  const count = async (): Promise<number> => {
    const { body } = await node.api.call('GET', '/api/v1/namespaces/shop/configmaps')
    return Array.isArray(body.items)
      ? body.items.filter(({ metadata }) => metadata.name.startsWith('many-')).length
      : Number.NaN
  }
  await eventually('all are there', async () => (await count()) === manyComponents, 300)
  return secondsSince(since)
}

const deletedAll = async (): Promise<void> => {
  await node.api.call('DELETE', shopComponents)
  const isGone = async (): Promise<boolean> => {
    const { body } = await node.api.call('GET', `${shopComponents}?limit=1`)
    return Array.isArray(body.items) && body.items.length === 0
  }
  await eventually('all Components are gone', isGone, 600)
}

const scaledTo = async (replicas: number): Promise<void> => {
  const counts = `host.replicas=${replicas},relay.replicas=${replicas}`
  const more = ['--set', counts, '--set', 'relay.extraArgs={--shards=24}']
  await helm('upgrade', 'espalier', 'manifests/helm', '-n', namespace, '--reuse-values', ...more)
  await untilAllReady(replicas)
}

t.test('RE-82 three hosts and three relays share the calls: no replica has a third less than another', async t => {
  await scaledTo(3)
  await wait(20_000)
  const replicas = [...(await ours('host')), ...(await ours('relay'))]
  const series = (pod: Pod): string =>
    component(pod) === 'host' ? 'controller_runtime_reconcile_total' : 'workqueue_work_duration_seconds_count'
  const all = () => Promise.all(replicas.map(pod => counted(pod, series(pod))))
  const first = await all()
  t.comment(`three hosts and relays: ${manyComponents} Components after ${await madeMany()} s`)
  await wait(10_000)
  const calls = (await all()).map((count, at) => count - (first[at] ?? 0))
  for (const which of ['host', 'relay']) {
    const of = calls.filter((_, at) => replicas[at] && component(replicas[at]) === which)
    t.comment(`calls of each ${which}: ${of.join(', ')}`)
    t.ok(Math.min(...of) >= (2 / 3) * Math.max(...of), `${which}: ${of.join(', ')}`)
  }
  await deletedAll()
  await scaledTo(1)
  await wait(20_000)
  t.comment(`one host and relay: ${manyComponents} Components after ${await madeMany()} s`)
  await deletedAll()
})

t.test('FN-190 after helm uninstall nothing is left but the definitions, and without them nothing at all', async t => {
  await helm('uninstall', 'espalier', '--namespace', namespace, '--wait')
  await kubectl('delete', 'namespace', namespace, 'shop', '--timeout=120s')
  const isOfBefore = new Set(before)
  const more = async (): Promise<string[]> => (await everything()).filter(name => !isOfBefore.has(name))
  // Kubernetes keeps an APIService for each group and version of definitions.
  const isDefinition = (name: string): boolean => /^(CustomResourceDefinition|APIService) /.test(name)
  const left = await until(more, names => names.every(isDefinition), 60)
  t.strictSame(
    left.filter(name => !isDefinition(name)),
    [],
  )
  const definitions = left.filter(name => name.startsWith('CustomResourceDefinition '))
  t.ok(definitions.length >= 8, `${definitions.length} definitions stay`)
  await kubectl('delete', 'crd', ...definitions.map(name => name.split('/')[1] ?? ''), '--timeout=120s')
  t.strictSame(await until(more, names => names.length === 0, 60), [])
})
