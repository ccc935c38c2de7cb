// `npm run bench:kyma [-- --kymas 2500 --planted --minutes 5 --profile FOLDER]`: Kymas with modules in runtimes, on real API servers. First
// single ones from nothing to Ready, then a fleet: its installation, steady calls, minutes without a change, a new version of one module, and
// a restart of everything. `--planted`: the fleet is written as an installation leaves it, the restart comes first, and its programs go on.
// `--kymas 0`: the single ones alone. Each part says its figures on standard error as soon as it has ended.
import { parseArgs } from 'node:util'
import { type FirstPass, firstPass } from './kyma/first-pass.ts'
import { type Fleet, fleetOf, install } from './kyma/fleet.ts'
import { plant } from './kyma/plant.ts'
import { type Rest, rest } from './kyma/rest.ts'
import { bareSecondsOf, type Resynced, resync } from './kyma/resync.ts'
import { type Rollout, rollout } from './kyma/rollout.ts'
import { onStage, type Programs, type Stage } from './kyma/stage.ts'
import { type Steady, steady } from './kyma/steady.ts'
import { median } from './measure/load.ts'
import { profileLines } from './measure/profile.ts'
import { figures, type Goal, print, progress, type Report, type Row, ratio } from './measure/report.ts'

const { values } = parseArgs({
  options: {
    kymas: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '10' },
    minutes: { type: 'string', default: '1' },
    profile: { type: 'string' },
    planted: { type: 'boolean', default: false },
  },
})
const whole = fleetOf(2_500)
const fleet = fleetOf(Number(values.kymas))

const about = `A kube-apiserver with etcd for the control plane and another one that all runtimes share, each in a namespace that a proxy shows as
a cluster of its own. Ten modules of three objects each, Deployments ready at once; host and relay as programs of their own with the
functions kyma and manifest, the token of a service account, and no agent. Everything shares the cores: callers, proxy, both API servers.
With more than 500 Kymas the proxy makes lists within watches of a list and a watch.
Bare is a loop on undici in the same minutes: for the first pass it creates as many objects, for calls and resync it makes as many GETs.`

/** With more, the API server that all runtimes share would need gigabytes for lists within watches. */
const kymasWithOwnLists = 500

const firstRounds = 5
const firstNumber = 100_000

const run = async (stage: Stage): Promise<void> => {
  const programs = await stage.start()
  const first: FirstPass[] = []
  for (let round = 0; round < firstRounds; round++) first.push(await firstPass(stage, programs, firstNumber + round))
  const ofFleet = fleet.kymas > 0 ? await fleetReport(stage, programs) : { tables: [], goals: [] }
  print({
    title: 'Kymas',
    about,
    tables: [first.map(firstRow), requestRows(first), ...ofFleet.tables],
    goals: [firstGoal(first), requestsGoal(first), ...ofFleet.goals],
  })
}

const fleetReport = async (stage: Stage, programs: Programs): Promise<Required<Pick<Report, 'tables' | 'goals'>>> => {
  const all = withFirst(fleet)
  const { made, running, restarted } = values.planted
    ? await plantedFleet(stage, programs)
    : await installedFleet(stage, programs)
  const calls: Steady[] = []
  for (const [name, requests] of [
    ['kyma', 6],
    ['manifest', 3],
  ] as const)
    calls.push(await steady(stage, running, { name, requests, seconds: Number(values.seconds) }))
  const rested = said('at rest', await rest(stage, running, Number(values.minutes)))
  const rolledOut = said('rolled out', await rollout(stage, running))
  await running.end()
  const resynced = restarted ?? (await restartedOnce(stage))
  const bareSeconds = await bareSecondsOf(stage, fleet, resynced.requests.reads)
  if (values.profile !== undefined) for (const line of profileLines(values.profile)) progress(line)
  return {
    tables: [
      calls.map(steadyRow),
      [restRow(all, rested)],
      [rolloutRow(rolledOut)],
      [resyncRow(all, { ...resynced, bareSeconds }, made)],
      cpuRows(resynced),
    ],
    goals: [...calls.map(steadyGoal), restGoal(all, rested), rolloutGoal(all, rolledOut), resyncGoal(all, resynced)],
  }
}

type Made = { readonly made: Row; readonly running: Programs; readonly restarted?: Resynced }

const installedFleet = async (stage: Stage, programs: Programs): Promise<Made> => {
  const seconds = said('installed', await install(stage, fleet))
  return { made: { 's to install': seconds }, running: programs }
}

const plantedFleet = async (stage: Stage, programs: Programs): Promise<Made> => {
  await programs.end()
  const seconds = said('planted', await plant(stage, fleet, firstNumber))
  const { resynced, running } = await restart(stage)
  return { made: { 's to plant': seconds }, running, restarted: resynced }
}

const restart = async (stage: Stage) => {
  progress('everything is restarted')
  const restarted = await resync(stage, { expected: withFirst(fleet), profiles: values.profile })
  said('resynced', restarted.resynced)
  return restarted
}

const restartedOnce = async (stage: Stage): Promise<Resynced> => {
  const { resynced, running } = await restart(stage)
  await running.end()
  return resynced
}

/** The figures of a part: if a later part fails, they are known all the same. */
const said = <Result>(part: string, result: Result): Result => {
  progress(`${part}: ${JSON.stringify(result)}`)
  return result
}

const withFirst = ({ kymas, manifests }: Fleet): Fleet => ({
  kymas: kymas + firstRounds,
  manifests: manifests + firstRounds * 10,
})

const firstRow = (pass: FirstPass, round: number): Row => ({
  'a Kyma with ten modules': round === 0 ? 'the first one, with definitions' : `the ${round + 1}.`,
  's to Ready': pass.seconds,
  'bare s': pass.bareSeconds,
  'Kyma : bare': ratio(pass.seconds, pass.bareSeconds),
  'requests in the control plane': pass.requests.filter(({ at }) => at === 'control plane').length,
  'in the runtime': pass.requests.filter(({ at }) => at === 'runtime').length,
  'writes of them': pass.requests.filter(({ isRead }) => !isRead).length,
  'host CPU s': pass.cpuSeconds.host,
  'relay CPU s': pass.cpuSeconds.relay,
})

/** The pass with as many requests as half of those after the first have at most. */
const typicalPass = ([, ...passes]: readonly FirstPass[]): FirstPass | undefined =>
  passes.toSorted((one, other) => one.requests.length - other.requests.length)[Math.floor((passes.length - 1) / 2)]

const requestRows = (passes: readonly FirstPass[]): Row[] => {
  const byWhat = Map.groupBy(typicalPass(passes)?.requests ?? [], ({ what }) => what)
  return [...byWhat]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([what, all]) => ({
      'requests of one of them': what,
      ...Object.fromEntries(
        places.map(({ program, at }) => [
          `${program}, ${at}`,
          all.filter(one => one.program === program && one.at === at).length,
        ]),
      ),
    }))
}

const places = (['host', 'relay'] as const).flatMap(program =>
  (['control plane', 'runtime'] as const).map(at => ({ program, at })),
)

const steadyRow = ({ name, requests, writes, calls, bare }: Steady): Row => ({
  'quiet calls for a Ready': name,
  requests,
  writes,
  'calls /s': calls.perSecond,
  'bare /s': bare.perSecond,
  'calls : bare': ratio(calls.perSecond, bare.perSecond),
  'p99 ms': calls.milliseconds(0.99),
  'bare p99 ms': bare.milliseconds(0.99),
  failures: calls.failures,
})

const restRow = ({ kymas, manifests }: Fleet, { seconds, calls, host, relay, cpuSeconds, ...held }: Rest): Row => ({
  'without a change': `${kymas} Kymas, ${manifests} Manifests`,
  s: seconds,
  calls,
  'requests of the host': host.reads + host.writes,
  'writes of them': host.writes,
  'requests of the relay': relay.reads + relay.writes,
  'host CPU %': (100 * (cpuSeconds.host ?? 0)) / seconds,
  'relay CPU %': (100 * (cpuSeconds.relay ?? 0)) / seconds,
  'CPU % of both API servers': (100 * (cpuSeconds['both API servers'] ?? 0)) / seconds,
  'host MB': held.hostMegabytes,
  'relay MB': held.relayMegabytes,
})

const rolloutRow = ({ manifests, secondsToHave, secondsToReady, cpuSeconds }: Rollout): Row => ({
  'a new version of one module': `${manifests} Manifests`,
  's until all have it': secondsToHave,
  's until all are Ready with it': secondsToReady,
  'host CPU s': cpuSeconds.host,
  'relay CPU s': cpuSeconds.relay,
})

const resyncRow = ({ kymas, manifests }: Fleet, resynced: Resynced & { bareSeconds: number }, made: Row): Row => ({
  'resync of': `${kymas} Kymas, ${manifests} Manifests`,
  s: resynced.seconds,
  'bare s': resynced.bareSeconds,
  'resync : bare': ratio(resynced.seconds, resynced.bareSeconds),
  reads: resynced.requests.reads,
  writes: resynced.requests.writes,
  'host MB': resynced.hostMegabytes,
  'relay MB': resynced.relayMegabytes,
  'watches in runtimes': resynced.watches,
  ...made,
})

const cpuRows = ({ cpuSeconds }: Resynced): Row[] => {
  const whole = Object.values(cpuSeconds).reduce((sum, seconds) => sum + seconds, 0)
  return Object.entries(cpuSeconds).map(([program, seconds]) => ({
    'computes during the resync': program,
    'CPU s': seconds,
    'of all': ratio(seconds, whole),
  }))
}

const firstGoal = (passes: readonly FirstPass[]): Goal => {
  const seconds = passes.map(pass => pass.seconds)
  return {
    asks: 'KY-180 a Kyma with ten modules is Ready in both clusters within 3 s of its creation',
    found: `${figures(median(seconds))} s in the median, ${figures(Math.max(...seconds))} s at most`,
    isMet: Math.max(...seconds) <= 3,
  }
}

const requestsMost = 300
const cpuSecondsMost = 0.8

const requestsGoal = (passes: readonly FirstPass[]): Goal => {
  const { requests = [], cpuSeconds = { host: 0, relay: 0 } } = typicalPass(passes) ?? {}
  const computed = cpuSeconds.host + cpuSeconds.relay
  return {
    asks: `KY-350 host and relay make at most ${requestsMost} requests for a Kyma with ten modules from its creation until all is at rest, in ${cpuSecondsMost} s of CPU`,
    found: `${requests.length} requests, ${figures(computed)} s`,
    isMet: requests.length <= requestsMost && computed <= cpuSecondsMost,
  }
}

const most = { kyma: 6, manifest: 3 }
const row = { kyma: 'KY-181', manifest: 'KY-182' }

const steadyGoal = ({ name, requests, writes }: Steady): Goal => ({
  asks: `${row[name]} at most ${most[name]} requests in a steady pass of a Ready ${name}, no write`,
  found: `${figures(requests)} requests, ${writes} writes`,
  isMet: requests <= most[name] && writes === 0,
})

const restGoal = ({ kymas }: Fleet, { seconds, calls, host }: Rest): Goal => ({
  asks: 'KY-341 minutes without a change: no write in the periodic calls',
  found: `${kymas} Kymas, ${figures(seconds)} s, ${figures(calls)} calls, ${host.writes} writes`,
  isMet: host.writes === 0,
})

const rolloutGoal = ({ kymas }: Fleet, { manifests, secondsToReady }: Rollout): Goal => ({
  asks: `KY-342 a new version of one module is Ready in the runtimes of ${figures(whole.kymas)} Kymas within 10 min`,
  found: `${kymas} Kymas, ${manifests} Manifests: ${figures(secondsToReady)} s`,
  isMet: kymas >= whole.kymas && secondsToReady <= 600,
})

const mebibytesMost = 512

/** A smaller fleet must take its share of the time; of memory it must leave what the rest would need. */
const resyncGoal = ({ kymas, manifests }: Fleet, { seconds, requests, ...cost }: Resynced): Goal => {
  const megabytes = cost.hostMegabytes + cost.relayMegabytes
  const isWhole = kymas >= whole.kymas
  const expected = (seconds * whole.manifests) / manifests
  return {
    asks: `KY-183 ${figures(whole.kymas)} Kymas, ${figures(whole.manifests)} Manifests resynced in under 5 min, host and relay within ${mebibytesMost} MiB together, no write`,
    found: `${kymas} Kymas, ${manifests} Manifests: ${figures(seconds)} s${isWhole ? '' : `, which makes ${figures(expected)} s for all`}, ${figures(megabytes)} MB, ${requests.writes} writes`,
    isMet: isWhole && seconds < 300 && megabytes < mebibytesMost * 1.048576 && requests.writes === 0,
  }
}

await onStage({ listsForWatches: fleet.kymas > kymasWithOwnLists }, run)
