// Tells a scenario with nobody but a relay calling the function. How a relay and its host come about is told in
// parties.ts, what disturbs them in relay.test.ts.
import { setTimeout as wait } from 'node:timers/promises'
import type { Test } from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { differingObjects } from '../../../shared/main/own/differing-objects.ts'
import { until } from '../../harness/until.ts'
import { type HostParty, type RelayOptions, type RelayParty, startHostParty, startRelayParty } from '../parties.ts'
import { isWrite, type KubeRequest } from '../proxy/request.ts'
import type { Trying } from '../trying.ts'
import { secretTexts, type Traces } from './nothing-lost.ts'
import { comparable, tell } from './story.ts'

/** A function with its host, and what a run without relay and without faults left behind. */
export type Subject = Trying & {
  host: HostParty
  clean: Traces
  said: string[]
}

export const newSubject = async (t: Test, trying: Trying): Promise<Subject> => {
  const { ground, definition, scenario } = trying
  const { world, proxy } = ground
  await world.furnish(scenario)
  const client = await ground.clientOf(definition)
  const clean = await tell({ definition, scenario, world, client, far: ground.far, ledger: proxy.ledger })
  const said: string[] = []
  const host = await startHostParty({ ground, definition, scenario, said })
  t.teardown(host.stop)
  return { ...trying, host, clean, said }
}

/** With the number of watches it keeps when all is well. */
export type Relay = RelayParty & { watches: number }

/** Whoever dies may have a successor, and nobody is alone for ever. */
export type Crew = {
  /** The one that was started last. */
  latest(): Promise<Relay>
  add(): Promise<Relay>
  /** So many seconds pass at once for all of them. */
  pass(seconds: number): Promise<void>
  killAll(): Promise<void>
}

export type Course = {
  options?: RelayOptions
  /** Each stage has a relay of its own, started before the stage's change. */
  isNewEachStage?: true
  before?: (stage: number, relay: Relay, crew: Crew) => unknown
  /** After the change, while the world is on its way to the stage's end. */
  during?: (stage: number, relay: Relay) => unknown
  after?: (stage: number, relay: Relay, crew: Crew) => unknown
}

/** The quiet minute passes at once; calls that begin in it come to the host within this time. */
const quietSeconds = 60
const quietMilliseconds = 300

export const untilEqual = <T>(look: () => T, wanted: T): Promise<T> => until(look, seen => seen === wanted)

/** What there is when the stage has ended as in the clean run, or when its time is over. */
export const restOf = async ({ ground, scenario, clean }: Subject, stage: number): Promise<readonly KubeObject[]> =>
  until(
    () => ground.world.observe(scenario),
    objects => differingObjects(scenario.masked?.(objects) ?? objects, clean.ends[stage] ?? []).length === 0,
  )

/** How often the function was called: each call begins with a read of its object. */
export const callsOf = ({ ground, scenario }: Called): number =>
  ground.proxy.ledger.count({ verbs: ['get'], name: scenario.key.name })

export const untilCalled = (subject: Called, calls: number): Promise<number> =>
  until(
    () => callsOf(subject),
    count => count > calls,
  )

/** A relay in its usual state: everything is listed, every watch runs. */
export const newRelay = async (t: Test, subject: Subject, options?: RelayOptions): Promise<Relay> => {
  const relay = await startRelayParty(subject, subject.host, options)
  t.teardown(relay.kill)
  // Each watch begins with a list.
  const watches = new Set(relay.api.ledger.arrivals.filter(({ verb }) => verb === 'list').map(collection)).size
  t.equal(await untilEqual(() => relay.api.watches({}), watches), watches, 'every watch runs')
  return { ...relay, watches }
}

const collection = ({ resource, namespace, selectors }: KubeRequest) => `${namespace} ${resource} ${selectors}`

/** The relays are dead before the world is cleared, or they would see to it. */
export const tellByRelay = async (t: Test, subject: Subject, course: Course = {}): Promise<Traces> => {
  const { ledger } = subject.ground.proxy
  const crew = newCrew(() => newRelay(t, subject, course.options))
  ledger.reset()
  await crew.add()
  // Where keys are called for whatever is there, the first call is not about the story.
  await subject.host.idle()
  try {
    const stages = await followStages(subject, course, crew)
    const unheard = await unheardCallbacks(subject, (await crew.latest()).url)
    const quietWrites = await writesWhileQuiet(subject, crew)
    return {
      ...stages,
      unheard,
      quietWrites,
      effects: comparable(ledger.effects(), subject.scenario),
      said: await heard(subject, crew),
    }
  } finally {
    await crew.killAll()
    await clear(subject)
  }
}

const newCrew = (start: () => Promise<Relay>): Crew => {
  const relays: Promise<Relay>[] = []
  const add = () => {
    const relay = start()
    relays.push(relay)
    return relay
  }
  return {
    add,
    latest: () => relays.at(-1) ?? add(),
    pass: async seconds => {
      for (const relay of relays) (await relay).pass(seconds)
    },
    killAll: async () => {
      for (const relay of relays) await (await relay).kill()
    },
  }
}

const followStages = async (
  subject: Subject,
  course: Course,
  crew: Crew,
): Promise<Pick<Traces, 'ends' | 'secrets'>> => {
  const { ground, scenario, host } = subject
  const ends: Traces['ends'][number][] = []
  const secrets: string[] = []
  let relay = await crew.latest()
  for (const [index, stage] of scenario.stages.entries()) {
    if (course.isNewEachStage && index > 0) {
      await relay.kill()
      relay = await crew.add()
      // It calls for what is there already; a call amid the change would see half of it.
      await host.idle()
    }
    await course.before?.(index, relay, crew)
    const calls = callsOf(subject)
    await stage.change(ground.world.people)
    await course.during?.(index, relay)
    // Where the change alone makes the stage's end, the function must still have had its say.
    await untilCalled(subject, calls)
    await host.idle()
    const objects = await restOf(subject, index)
    // What it wrote last is seen before it has heard of it itself.
    await host.idle()
    secrets.push(...secretTexts(objects))
    ends.push(scenario.masked?.(objects) ?? objects)
    await course.after?.(index, relay, crew)
  }
  return { ends, secrets }
}

type Called = Pick<Subject, 'ground' | 'scenario' | 'definition'>

/** The key is handed to the relay at this address: a callback that it takes must lead to a call, which reads the object. */
export const unheardCallbacks = async (called: Called, url: string, secret?: string): Promise<string[]> => {
  const body = JSON.stringify({ function: called.definition.name, keys: [called.scenario.key] })
  const headers = secret === undefined ? {} : { authorization: `Bearer ${secret}` }
  let calls = 0
  const callBack = async (): Promise<boolean> => {
    calls = callsOf(called)
    return (await fetch(`${url}/relay/keys`, { method: 'POST', headers, body })).status === 202
  }
  // A relay that was killed may not be back yet.
  if (!(await until(() => callBack().catch(() => false), Boolean))) return ['no callback was taken']
  return (await untilCalled(called, calls)) > calls ? [] : ['a callback was answered 202, and nobody read after it']
}

/** In an Event that counts, whoever waits may say so again. */
const writesWhileQuiet = async ({ ground: { proxy }, host }: Subject, crew: Crew): Promise<Traces['quietWrites']> => {
  await host.idle()
  const written = proxy.ledger.entries.length
  await crew.pass(quietSeconds)
  await wait(quietMilliseconds)
  await host.idle()
  return proxy.ledger.entries.slice(written).filter(entry => isWrite(entry) && entry.resource !== 'events')
}

const heard = async ({ ground, host, said }: Subject, crew: Crew): Promise<string[]> => {
  const events = await ground.world.events()
  const metrics = [await (await crew.latest()).metrics(), await host.metrics()]
  return [...said.splice(0), ...metrics, ...events.map(event => JSON.stringify(event))]
}

/** Takes the story back, once nobody works on it any more. */
export const clear = async ({ ground, scenario, host }: Subject): Promise<void> => {
  await host.idle()
  await ground.world.clear(scenario)
}
