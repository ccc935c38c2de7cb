// Tries one reconcile function of a folder of one's own: its story is told once undisturbed, then again for each of its writes, after which
// its process dies and another one goes on. Each stage must end as it did undisturbed.
import { conditionOf, isTrue } from '../../../core/objects/condition.ts'
import { type KubeObject, type ObjectRef, refText } from '../../../core/objects/object.ts'
import { eventually } from '../eventually.ts'
import { type People, peopleWith, refTo } from '../people.ts'
import { hasCanary } from './canary.ts'
import { differingObjects } from './differing-objects.ts'
import { type Ground, groundFor } from './ground.ts'
import { hasDied, newLife } from './mortal-client.ts'
import { observed, removeAllBut } from './observed.ts'

export type Story = {
  /** The folder of serverless.yml; the working directory when absent. */
  readonly folder?: string
  /** The name of the function in serverless.yml. */
  readonly function: string
  /** What the function is called for. */
  readonly object: KubeObject | ObjectRef
  readonly stages: readonly StoryStage[]
  /** Makes equal what the function draws anew in each run, such as a password. Digests are not compared then. */
  readonly masked?: (object: KubeObject) => KubeObject
}

export type StoryStage = {
  /** What people do. */
  readonly change: (people: People) => Promise<unknown>
  /** Whether the function has done its part; the object is undefined when it is gone. Absent: its condition Ready is True. */
  readonly until?: (object: KubeObject | undefined) => boolean
}

export type Trial = {
  /** Each write of the undisturbed story, such as `apply Deployment default/shop`: the process died once after each of them. */
  readonly writes: readonly string[]
  /** A sentence for each difference to the undisturbed story. */
  readonly lost: readonly string[]
  /** Requests that the rights of the function in serverless.yml do not allow. */
  readonly refused: readonly string[]
  /** Where `canary` was found: in the status of the object, in Events, logs and outcomes. */
  readonly leaked: readonly string[]
}

/**
 * Tells the story of a function on an API server in this process, under the account of the function, and kills it after each write.
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
    const clean = await told(story, ground, Number.POSITIVE_INFINITY)
    const runs = [clean]
    for (const at of clean.writes.keys()) runs.push(await told(story, ground, at + 1))
    return {
      writes: clean.writes,
      lost: runs.flatMap((run, at) =>
        differences(run, clean).map(text => `killed after ${clean.writes[at - 1]}: ${text}`),
      ),
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
}

const differences = ({ ends }: Run, clean: Run): string[] =>
  ends.flatMap((end, at) => differingObjects(end, clean.ends[at] ?? []).map(text => `stage ${at + 1}: ${text}`))

/** The first process dies after so many writes, and another one goes on. What the story has made is removed in the end. */
const told = async (story: Story, ground: Ground, writesMost: number): Promise<Run> => {
  const ref = refTo(story.object)
  const before = await observed(ground)
  const [life, heir, said] = [newLife(writesMost), newLife(Number.POSITIVE_INFINITY), [] as string[]]
  const [first, second] = [ground.startProcess(life, said), ground.startProcess(heir, said)]
  const ends: (readonly KubeObject[])[] = []
  for (const [at, { change, until = isReady }] of story.stages.entries()) {
    await change(peopleWith(ground.admin))
    let last = ''
    await eventually(
      `stage ${at + 1} of ${story.function}: ${refText(ref)} is as expected`,
      async () => {
        const isDead = hasDied(life)
        const outcome = await (isDead ? second : first)({ namespace: ref.namespace, name: ref.name })
        last = JSON.stringify(outcome)
        const isAtRest = outcome.outcome !== 'failed' && outcome.requeueAfterSeconds !== 0
        return isDead === hasDied(life) && isAtRest && until(await ground.admin.get(ref))
      },
      { found: () => `, the last call: ${last}` },
    )
    const objects = await observed(ground)
    said.push(...objects.filter(({ kind }) => kind === ref.kind).map(({ status }) => JSON.stringify(status ?? {})))
    ends.push(story.masked ? objects.map(story.masked).map(withoutDigests) : objects)
  }
  said.push(...(await ground.admin.list({ apiVersion: 'v1', kind: 'Event' })).map(event => JSON.stringify(event)))
  await removeAllBut(before, ground)
  return { ends, said, writes: life.writes, refused: [...life.refused, ...heir.refused] }
}

/** They follow from what is masked. */
const withoutDigests = (object: KubeObject): KubeObject =>
  JSON.parse(JSON.stringify(object).replaceAll(/"[0-9a-f]{16,}"/g, '"a digest"'))

const isReady = (object: KubeObject | undefined): boolean =>
  object !== undefined && isTrue(conditionOf(object, 'Ready'))
