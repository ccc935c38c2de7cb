// Tests one reconcile function of the user's folder. The story runs once undisturbed. Then it runs once for each write: after the write the
// process dies, and another process continues. Each stage must end as in the undisturbed run.
import type { Outcome } from '../../core/decisions/outcome.ts'
import { conditionOf, isTrue } from '../../core/objects/condition.ts'
import { type Key, type KubeObject, type ObjectRef, refText } from '../../core/objects/object.ts'
import { differingObjects } from './differing-objects.ts'
import { hasDied, type Life, newLife } from './mortal-client.ts'
import { eventually, type People, peopleWith, refTo } from './operator.ts'
import { type Ground, groundFor, observed, removeAllBut } from './trial-ground.ts'

export type Story = {
  /** The folder of serverless.yml. Default: the working directory. */
  readonly folder?: string
  /** The name of the function in serverless.yml. */
  readonly function: string
  /** The object for which the function is called. */
  readonly object: KubeObject | ObjectRef
  readonly stages: readonly StoryStage[]
  /** How long the function may take in a stage, in seconds. Default: 30. */
  readonly patienceSeconds?: number
  /** Makes values equal that differ in each run, such as a generated password. Digests are then not compared. */
  readonly masked?: (object: KubeObject) => KubeObject
}

export type StoryStage = {
  /** The actions of users in this stage. */
  readonly change: (people: People) => Promise<unknown>
  /** Whether the stage is done. `object` is undefined when it is gone. Default: condition Ready is True. */
  readonly until?: (object: KubeObject | undefined) => boolean
}

export type Trial = {
  /** Each write of the undisturbed story, such as `apply Deployment default/shop`. */
  readonly writes: readonly string[]
  /** A sentence for each difference from the undisturbed story, each stage that did not end, and each write after which no process died. */
  readonly lost: readonly string[]
  /** Requests that the rights of the function in serverless.yml do not allow. */
  readonly refused: readonly string[]
  /** Where `canary` was found: in the status of the object, in Events, logs and outcomes. */
  readonly leaked: readonly string[]
}

/**
 * Runs the story of a function on an API server in this process, under the account of the function, and kills it after each write.
 *
 *   const trial = await tryFunction({
 *     function: 'website',
 *     object: website,
 *     stages: [
 *       { change: people => people.create(website) },
 *       { change: people => people.delete(website), until: object => object === undefined },
 *     ],
 *   })
 *   assert.deepEqual(trial.lost, [])
 */
export const tryFunction = async (story: Story): Promise<Trial> => {
  const ground = await groundFor(story.folder ?? process.cwd(), story.function)
  try {
    const clean = await playedOnce(story, ground, Number.POSITIVE_INFINITY)
    if (clean.stuck) throw clean.stuck
    const disturbed: Run[] = []
    do disturbed.push(await playedOnce(story, ground, disturbed.length + 1))
    while (disturbed.at(-1)?.isKilled)
    // The number of writes may depend on time, so a count may have hit another write. Each missed write gets its own run.
    for (const write of writesWithoutDeath(disturbed, clean, ground.home)) {
      const again = await playedOnce(story, ground, write)
      if (again.isKilled) disturbed.push(again)
    }
    const runs = [clean, ...disturbed]
    return {
      writes: clean.writes,
      lost: [
        ...disturbed.flatMap(run => lostIn(run, clean)),
        ...writesWithoutDeath(disturbed, clean, ground.home).map(
          write => `not killed after ${write}: no other story had this write`,
        ),
      ],
      refused: [...new Set(runs.flatMap(({ refused }) => refused))],
      leaked: [...new Set(runs.flatMap(({ said }) => said.filter(hasCanary)))],
    }
  } finally {
    await ground.stop()
  }
}

type Run = Pick<Trial, 'writes' | 'refused'> & {
  /** The objects after each stage. */
  readonly ends: readonly (readonly KubeObject[])[]
  readonly said: readonly string[]
  readonly isKilled: boolean
  /** Why the story did not reach its end. */
  readonly stuck?: Error
}

const lostIn = (run: Run, clean: Run): string[] => {
  const fate = run.isKilled ? `killed after ${run.writes.at(-1)}` : 'not killed'
  return [...differences(run, clean), ...(run.stuck ? [run.stuck.message] : [])].map(text => `${fate}: ${text}`)
}

/** Omits writes in the namespace of the operator: objects there, such as the key of templates, stay for the next story. */
const writesWithoutDeath = (disturbed: readonly Run[], clean: Run, home: string): string[] => {
  const deaths = disturbed.filter(({ isKilled }) => isKilled).map(({ writes }) => writes.at(-1))
  return [...new Set(clean.writes)].filter(write => !deaths.includes(write) && !write.includes(` ${home}/`))
}

const differences = ({ ends }: Run, clean: Run): string[] =>
  ends.flatMap((end, at) => differingObjects(end, clean.ends[at] ?? []).map(text => `stage ${at + 1}: ${text}`))

/** The first process dies after this write, and another process continues. At the end, all objects of the story are removed. */
const playedOnce = async (story: Story, ground: Ground, last: Life['last']): Promise<Run> => {
  const before = await observed(ground)
  const [life, heir, said] = [newLife(last), newLife(Number.POSITIVE_INFINITY), [] as string[]]
  const [first, second] = [ground.startProcess(life, said), ground.startProcess(heir, said)]
  const call = (key: Key): Promise<Outcome> => (hasDied(life) ? second : first)(key)
  const made: KubeObject[] = []
  const ends: (readonly KubeObject[])[] = []
  let stuck: Error | undefined
  try {
    for (const [at, stage] of story.stages.entries()) {
      await stage.change(noting(peopleWith(ground.admin), made))
      await eventuallyDone(story, at, ground, { call, hasDied: () => hasDied(life) })
      const objects = await observed(ground)
      const { kind } = refTo(story.object)
      said.push(...objects.filter(one => one.kind === kind).map(({ status }) => JSON.stringify(status ?? {})))
      ends.push(story.masked ? objects.map(story.masked).map(withoutDigests) : objects)
    }
  } catch (error) {
    stuck = error instanceof Error ? error : new Error(String(error))
  }
  said.push(...(await ground.admin.list({ apiVersion: 'v1', kind: 'Event' })).map(event => JSON.stringify(event)))
  await removeAllBut(before, made, ground)
  return {
    ends,
    said,
    stuck,
    isKilled: hasDied(life),
    writes: life.writes,
    refused: [...life.refused, ...heir.refused],
  }
}

type Running = { call(key: Key): Promise<Outcome>; hasDied(): boolean }

/** Calls the function until it has done its part in a stage. */
const eventuallyDone = async (story: Story, at: number, { admin }: Ground, running: Running): Promise<void> => {
  const ref = refTo(story.object)
  const { until = isReady } = story.stages[at] ?? {}
  let last = ''
  await eventually(
    `stage ${at + 1} of ${story.function}: ${refText(ref)} is as expected`,
    async () => {
      const wasDead = running.hasDied()
      const outcome = await running.call({ namespace: ref.namespace, name: ref.name })
      last = JSON.stringify(outcome)
      const isAtRest = outcome.outcome !== 'failed' && outcome.requeueAfterSeconds !== 0
      return wasDead === running.hasDied() && isAtRest && until(await admin.get(ref))
    },
    { seconds: story.patienceSeconds, found: () => `, the last call: ${last}` },
  )
}

/** Records the objects that the story creates. */
const noting = (people: People, made: KubeObject[]): People => ({
  ...people,
  create: async object => {
    const created = await people.create(object)
    made.push(created)
    return created
  },
})

/** Digests differ because they are computed from masked values. */
const withoutDigests = (object: KubeObject): KubeObject =>
  JSON.parse(JSON.stringify(object).replaceAll(/"[0-9a-f]{16,}"/g, '"a digest"'))

const isReady = (object: KubeObject | undefined): boolean =>
  object !== undefined && isTrue(conditionOf(object, 'Ready'))

export const canary = 'canary-d0f7c3a95e'

/**
 * Whether the text contains the canary, as plain text or in base64.
 *
 *   hasCanary(`the password is ${canary}`) // true
 */
export const hasCanary = (text: string): boolean => spellings.some(spelling => text.includes(spelling))

/** The base64 form of a text's middle depends only on the position of the text (three cases), not on the text around it. */
const spellings = [
  canary,
  ...[0, 1, 2].map(offset => {
    const shifted = Buffer.from(' '.repeat(offset) + canary).toString('base64')
    return shifted.slice(4, -4)
  }),
]
