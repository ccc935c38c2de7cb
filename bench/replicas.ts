// `npm run bench:replicas [-- --components 300 --cores 0.2]`: Components by one pair of host and relay and by three pairs, each pair with a
// budget of CPU time, so that the API server is not the limit. Then one of three pairs is killed under load.
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Key } from '../shared/core/objects/object.ts'
import { component, componentsIn, furnish, keysOf } from './component/objects.ts'
import { isReady, watchComponents } from './component/seen.ts'
import { install, type Pair, startPair } from './component/stage.ts'
import { cpuBudget } from './measure/budget.ts'
import { inParallel, median, secondsOf } from './measure/load.ts'
import { buildProduct } from './measure/product.ts'
import { sumOf } from './measure/prometheus.ts'
import { onRealCluster, type RealCluster } from './measure/real-cluster.ts'
import { figures, type Goal, print, progress, type Row, ratio } from './measure/report.ts'

const { values } = parseArgs({
  options: { components: { type: 'string', default: '300' }, cores: { type: 'string', default: '0.2' } },
})
const count = Number(values.components)
const cores = Number(values.cores)
const dependents = 4
const shards = 24
const replicas = 3
const rounds = 3
const warmUpEach = 40
/** Long enough for some hundred calls. */
const windowSeconds = 40

const about = `A kube-apiserver with etcd, and pairs of a host and a relay of ${shards} shards; each relay calls the host of its pair. A control group
gives each pair ${cores} of a core, so that three pairs and the API server fit into the machine. ${count} new Components of ${dependents} ConfigMaps each, made as fast as
the API server takes them, until all are Ready, in turns with one pair and with three, each after ${warmUpEach} Components for each pair that are not counted. Then the same with four times as many
Components and three pairs, of which one is killed after ${windowSeconds} s: what the other two call in the ${windowSeconds} s before and in the ${windowSeconds} s after.`

type Team = { readonly pairs: readonly Pair[]; kill(n: number): Promise<void>; end(): Promise<void> }

let accounts = 0

/** The relays share the shards before anything is measured. */
const teamOf = async (cluster: RealCluster, size: number): Promise<Team> => {
  const started = Array.from({ length: size }, () =>
    startPair(cluster, { suffix: `-${accounts++}`, relayFlags: [`--shards=${shards}`] }),
  )
  const pairs = await Promise.all(started)
  await untilShared(pairs)
  const budgets = pairs.map(({ host, relay }, n) => cpuBudget(`${accounts}-${n}`, [host.pid, relay.pid], cores))
  const kill = async (n: number): Promise<void> => {
    const { host, relay } = pairs[n] as Pair
    await Promise.all([host.end('SIGKILL'), relay.end('SIGKILL')])
  }
  const end = async () => {
    await Promise.all(pairs.map(pair => pair.end()))
    for (const { release } of budgets) release()
  }
  return { pairs, kill, end }
}

const untilShared = async (pairs: readonly Pair[]): Promise<void> => {
  for (;;) {
    const held = await Promise.all(
      pairs.map(async ({ relayMetrics }) => sumOf(await relayMetrics(), 'espalier_relay_shards_held')),
    )
    if (held.every(each => each === shards / pairs.length)) return
    await wait(500)
  }
}

const callsOf = async ({ hostMetrics }: Pair): Promise<number> =>
  sumOf(await hostMetrics(), 'controller_runtime_reconcile_total')

const createAll = ({ api }: RealCluster, keys: readonly Key[]): Promise<void> =>
  inParallel(keys.length, 8, n => {
    const key = keys[n] as Key
    return api.call('POST', componentsIn(key.namespace), { body: component(key, dependents) })
  })

const untilReady = async (cluster: RealCluster, keys: readonly Key[], disturb?: () => Promise<void>): Promise<void> => {
  const ready = (await watchComponents(cluster.api)).until(keys.length, isReady)
  await createAll(cluster, keys)
  await disturb?.()
  await ready
}

/** New programs compute more for each of their first calls, and a budget makes this longer. */
const warmUp = async (cluster: RealCluster, size: number, round: number): Promise<void> => {
  const keys = keysOf(`warm${size}-${round}`, warmUpEach * size)
  await furnish(cluster.api, keys)
  await untilReady(cluster, keys)
}

type Run = { readonly size: number; readonly seconds: number; readonly calls: readonly number[] }

const run = async (cluster: RealCluster, size: number, round: number): Promise<Run> => {
  const keys = keysOf(`by${size}-${round}`, count)
  await furnish(cluster.api, keys)
  const team = await teamOf(cluster, size)
  await warmUp(cluster, size, round)
  progress(`${count} Components by ${size}, round ${round + 1} of ${rounds}`)
  const seconds = await secondsOf(() => untilReady(cluster, keys))
  const calls = await Promise.all(team.pairs.map(callsOf))
  await team.end()
  for (const key of keys) await cluster.api.call('DELETE', `${componentsIn(key.namespace)}/${key.name}`)
  return { size, seconds, calls }
}

type Loss = { readonly before: number; readonly after: number; readonly seconds: number }

const afterDeath = async (cluster: RealCluster): Promise<Loss> => {
  const keys = keysOf('outlived', count * 4)
  await furnish(cluster.api, keys)
  const team = await teamOf(cluster, replicas)
  const survivors = team.pairs.slice(1)
  const rate = async (): Promise<number> => {
    const sum = async () => (await Promise.all(survivors.map(callsOf))).reduce((all, one) => all + one, 0)
    const before = await sum()
    await wait(windowSeconds * 1_000)
    return ((await sum()) - before) / windowSeconds
  }
  let [before, after] = [0, 0]
  progress('one of three is killed')
  const seconds = await secondsOf(() =>
    untilReady(cluster, keys, async () => {
      before = await rate()
      await team.kill(0)
      after = await rate()
    }),
  )
  await team.end()
  return { before, after, seconds }
}

const typical = (runs: readonly Run[], size: number): number =>
  median(runs.filter(one => one.size === size).map(({ seconds }) => seconds))

await onRealCluster(async cluster => {
  await buildProduct()
  await install(cluster)
  const runs: Run[] = []
  for (let round = 0; round < rounds; round++)
    for (const size of [1, replicas]) runs.push(await run(cluster, size, round))
  const loss = await afterDeath(cluster)
  const [alone, together] = [typical(runs, 1), typical(runs, replicas)]
  const rows = runs.map(
    ({ size, seconds, calls }): Row => ({
      pairs: size,
      's until all are Ready': seconds,
      'Components /s': count / seconds,
      'calls of each host': calls.join(', '),
    }),
  )
  const death: Row = {
    'calls /s of two pairs, beside the third': loss.before,
    'after its death': loss.after,
    'after : before': ratio(loss.after, loss.before),
    's until all are Ready': loss.seconds,
  }
  const goals: Goal[] = [
    {
      asks: `RE-97 ${replicas} pairs make 2.5 times the throughput of one`,
      found: `${figures(alone / together)} times`,
      isMet: alone / together >= 2.5,
    },
    {
      asks: 'a pair that dies costs the others nothing: at least 0.9 times the calls, and all become Ready',
      found: `${figures(loss.after / loss.before)} times`,
      isMet: loss.after / loss.before >= 0.9,
    },
  ]
  print({ title: 'Replicas', about, tables: [rows, [death]], goals })
})
