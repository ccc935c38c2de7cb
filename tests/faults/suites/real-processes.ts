// The whole of it as it is deployed, in two real processes that are killed for real again and again.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Test } from 'tap'
import { stringify } from 'yaml'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { differingObjects } from '../../../shared/main/own/differing-objects.ts'
import { type Endpoint, kubeconfig } from '../../harness/clients/kubeconfig.ts'
import { freePorts } from '../../harness/processes/ports.ts'
import { testFolder } from '../../harness/test-folder.ts'
import { until } from '../../harness/until.ts'
import { blobFolderOf } from '../blobs.ts'
import { callerSecret, isIdle } from '../parties.ts'
import { type Program, startProgram } from '../programs.ts'
import { type FaultProxy, faultProxy } from '../proxy/proxy.ts'
import { isWrite, writeVerbs } from '../proxy/request.ts'
import type { Scenario } from '../scenario.ts'
import type { Trying } from '../trying.ts'
import { lostIn, secretTexts, type Traces } from './nothing-lost.ts'
import { unheardCallbacks } from './relay-story.ts'
import { comparable, tell } from './story.ts'

type Told = Pick<Trying, 'ground' | 'scenario'> & { clean: Traces }

/** The short form of the quiet minute. */
const quietSeconds = 5
const memoryMebibytesMost = 300

/** A folder with what a Pod has mounted: the token of its ServiceAccount and the API server's authority. */
const mounted = async (t: Test, api: Endpoint, { token }: { token: string }): Promise<string> => {
  const folder = testFolder(t)
  await writeFile(join(folder, 'token'), token, { mode: 0o600 })
  await writeFile(join(folder, 'ca.crt'), pemOf(api))
  return folder
}

const pemOf = ({ caData }: Endpoint): string => Buffer.from(caData, 'base64').toString()

const env = { ESPALIER_CALLER_SECRET: callerSecret }
const shared = ['--caller-proof', 'secret', '--log-level', 'debug']

type Way = {
  t: Test
  said: string[]
  function: string
  /** The flag that names it. */
  landscape: readonly string[]
  port: number
  api: Endpoint
  account: { token: string }
}

type HostWay = Way & { scenario: Scenario }

const startHost = async ({
  t,
  said,
  function: name,
  port,
  api,
  account,
  scenario,
  landscape,
}: HostWay): Promise<Program> => {
  const pod = ['--api-server', api.url, '--service-account', await mounted(t, api, account)]
  const listeners = ['--listen', `127.0.0.1:${port}`, '--probes-listen', '', '--webhooks-listen', '127.0.0.1:0']
  const blobs = ['--blob-folder', blobFolderOf(scenario)]
  const functions = ['--functions', name, ...landscape]
  const args = [...pod, ...listeners, ...functions, '--tls', 'off', '--drain-seconds', '0', ...blobs, ...shared]
  return startProgram({ script: 'host.ts', args, env, said, url: `http://127.0.0.1:${port}` })
}

const startRelay = async ({ t, said, landscape, port, api, account }: Way, calls: FaultProxy): Promise<Program> => {
  const folder = await mounted(t, api, account)
  const authorities = join(folder, 'host-ca.crt')
  await writeFile(authorities, pemOf(calls))
  const host = ['--host', calls.url, '--host-ca', authorities]
  const pod = ['--api-server', api.url, '--service-account', folder]
  const args = [...pod, ...landscape, '--listen', `127.0.0.1:${port}`, '--shards', '1', ...host, ...shared]
  return startProgram({ script: 'relay.ts', args, env, said, url: `http://127.0.0.1:${port}` })
}

/**
 * A landscape with this function alone: the others would act on what the scenario is about. Access Secrets lead to the proxy, so its
 * host is listed.
 */
const landscapeWith = async (t: Test, name: string): Promise<string[]> => {
  const folder = testFolder(t)
  const project = join(import.meta.dirname, '..', '..', '..')
  const { functions, provider, ...rest } = readLandscape(join(project, 'serverless.yml'))
  const remotes = Object.fromEntries(
    Object.entries(provider.remotes ?? {}).map(([group, remote]) => [
      group,
      { ...remote, allowedHosts: ['127.0.0.1'] },
    ]),
  )
  await mkdir(join(folder, 'functions', name), { recursive: true })
  const exported = functions[name]?.handler.split('.').at(-1)
  const source = join(project, 'functions', name, 'index.ts')
  await writeFile(
    join(folder, 'functions', name, 'index.ts'),
    `import { ${exported} as served } from '${source}'\nexport const ${exported} = served\n`,
  )
  const file = join(folder, 'serverless.yml')
  await writeFile(
    file,
    stringify({ ...rest, provider: { ...provider, remotes }, functions: { [name]: functions[name] } }),
  )
  return ['--landscape', file]
}

/** The world may be as it should before the call that made it so has told its last Event. */
const untilIdle = (host: Program): Promise<string | undefined> =>
  until(host.metrics, metrics => metrics !== undefined && isIdle(metrics))

/** Changes the world stage by stage and waits each time until it is as in the clean run. */
const follow = async ({ ground: { world }, scenario, clean }: Told): Promise<Pick<Traces, 'ends' | 'secrets'>> => {
  const ends: Traces['ends'][number][] = []
  const secrets: string[] = []
  for (const [index, stage] of scenario.stages.entries()) {
    await stage.change(world.people)
    const endOf = (objects: readonly KubeObject[]) => scenario.masked?.(objects) ?? objects
    const objects = await until(
      () => world.observe(scenario),
      seen => differingObjects(endOf(seen), clean.ends[index] ?? []).length === 0,
    )
    secrets.push(...secretTexts(objects))
    ends.push(endOf(objects))
  }
  return { ends, secrets }
}

/** As many kills as fit into the scenario: at its second write and call, and, if there are so many, at its ninth. */
const moments = (count: number): number[] => [2, 9].filter(nth => nth <= Math.max(2, count))

export const realProcesses = async (t: Test, { ground, definition, scenario }: Trying): Promise<void> => {
  const { proxy, cluster, world } = ground
  await world.furnish(scenario)
  const client = await ground.clientOf(definition)
  const clean = await tell({ definition, scenario, world, client, far: ground.far, ledger: proxy.ledger })
  const kills = { host: moments(proxy.ledger.writes().length), relay: moments(scenario.stages.length) }
  const [hostPort = 0, relayPort = 0] = await freePorts(2)
  const said: string[] = []
  const relayApi = await faultProxy(cluster)
  const calls = await faultProxy(
    { url: `http://127.0.0.1:${hostPort}`, caData: '' },
    { onReply: body => said.push(body.toString()) },
  )
  t.teardown(() => Promise.all([relayApi.close(), calls.close()]))
  proxy.ledger.reset()
  const { accessSecret } = scenario
  const access = accessSecret && (await world.people.create(accessSecret(kubeconfig(proxy, await ground.allRights()))))
  const way = { t, said, function: definition.name, landscape: await landscapeWith(t, definition.name) }
  const host = await startHost({
    ...way,
    scenario,
    port: hostPort,
    api: proxy,
    account: await ground.identityOf(definition.name),
  })
  const relay = await startRelay(
    { ...way, port: relayPort, api: relayApi, account: await ground.identityOf('relay') },
    calls,
  )
  t.teardown(() => Promise.all([host.stop(), relay.stop()]))

  for (const nth of kills.host)
    proxy.inject({ match: { verbs: writeVerbs }, nth, fault: { do: 'kill', at: 'after', onKill: host.kill } })
  for (const nth of kills.relay)
    calls.inject({ match: {}, nth, fault: { do: 'kill', at: 'before', onKill: relay.kill } })
  const { ends, secrets } = await follow({ ground, scenario, clean })
  const unheard = await unheardCallbacks(
    { ground, scenario, definition },
    `http://127.0.0.1:${relayPort}`,
    callerSecret,
  )
  await untilIdle(host)
  const written = proxy.ledger.entries.length
  await wait(quietSeconds * 1000)
  const quietWrites = proxy.ledger.entries.slice(written).filter(isWrite)
  said.push(...(await world.events()).map(event => JSON.stringify(event)))

  const effects = comparable(proxy.ledger.effects(), scenario)
  t.strictSame(lostIn({ ends, secrets, effects, unheard, quietWrites, said }, clean), [])
  for (const [name, program] of Object.entries({ host, relay })) {
    t.equal(program.kills(), kills[name as keyof typeof kills].length, `the ${name} was killed as often as meant`)
    t.strictSame(program.deaths, [], `no ${name} died of something else`)
    const peak = program.peakMebibytes()
    t.ok(peak > 0 && peak <= memoryMebibytesMost, `the ${name} took ${Math.round(peak)} MiB at most`)
    t.equal(await program.stop(), 0, `the ${name} ended when it was asked to`)
  }
  await world.clear(scenario)
  if (access) await world.remove(refOf(access))
}
