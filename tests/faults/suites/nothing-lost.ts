// "Nothing lost": what a disturbed run must have in common with an undisturbed one, whatever broke in between. Pure:
// two runs in, sentences about what differs out. How a run comes about is told in story.ts.
import { isMap } from '../../../shared/core/json/json.ts'
import { isDeleting, type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import { differingObjects } from '../../../shared/main/own/differing-objects.ts'
import { hasCanary } from '../../../shared/main/own/trial.ts'
import type { Entry, ObjectCounts } from '../proxy/ledger.ts'

/** What a run left behind. */
export type Traces = {
  /** The observed objects at the end of each stage. */
  readonly ends: readonly (readonly KubeObject[])[]
  /** Creations, changes and deletions by object, those of Events left out: they are lines for people. */
  readonly effects: Readonly<Record<string, ObjectCounts>>
  /** Writes after the function had come to rest. */
  readonly quietWrites: readonly Entry[]
  /** Callbacks that were answered 2xx without a read after it, where there was a relay. */
  readonly unheard?: readonly string[]
  /** Everything said: log lines, Events, errors, answers, metrics. */
  readonly said: readonly string[]
  /** What stood in the observed Secrets. */
  readonly secrets: readonly string[]
}

/** Sentences about what was lost; none when nothing was. */
export const lostIn = (run: Traces, clean: Traces): string[] => [
  ...clean.ends.flatMap((end, i) => differingObjects(run.ends[i] ?? [], end).map(text => `stage ${i + 1}: ${text}`)),
  ...differingCounts(run.effects, clean.effects),
  ...run.ends.flatMap(unobservedGenerations),
  ...run.quietWrites.map(({ verb, resource, name }) => `a write while all was quiet: ${verb} ${resource} ${name}`),
  ...(run.unheard ?? []),
  ...run.said
    .filter(text => tells(text, run.secrets))
    .map(text => `what stands in a Secret was said: ${text.slice(0, 300)}`),
]

/** (b) Each object as often created and deleted; how often it was changed is its own matter. */
const differingCounts = (counts: Traces['effects'], wanted: Traces['effects']): string[] =>
  [...new Set([...Object.keys(counts), ...Object.keys(wanted)])].flatMap(object =>
    (['created', 'deleted'] as const)
      .filter(effect => (counts[object]?.[effect] ?? 0) !== (wanted[object]?.[effect] ?? 0))
      .map(
        effect =>
          `${object} was ${effect} ${counts[object]?.[effect] ?? 0} times, not ${wanted[object]?.[effect] ?? 0}`,
      ),
  )

/** (c) What the status says was observed is what there is. */
const unobservedGenerations = (objects: readonly KubeObject[]): string[] =>
  objects
    .filter(object => !isDeleting(object))
    .flatMap(object =>
      observedGenerations(object.status)
        .filter(observed => observed !== object.metadata.generation)
        .map(observed => `${refText(refOf(object))}: generation ${object.metadata.generation}, observed ${observed}`),
    )

const observedGenerations = (status: unknown): unknown[] => {
  if (!isMap(status)) return []
  const conditions = Array.isArray(status.conditions) ? status.conditions.filter(isMap) : []
  return [status, ...conditions].map(part => part.observedGeneration).filter(observed => observed !== undefined)
}

/** (g) Neither the canary nor anything else that stood in a Secret. */
const tells = (text: string, secrets: readonly string[]): boolean =>
  hasCanary(text) || secrets.some(secret => text.includes(secret))

/** All values of these Secrets, as they are and as the API writes them; too short ones may stand anywhere. */
export const secretTexts = (objects: readonly KubeObject[]): string[] =>
  objects
    .filter(({ kind, data }) => kind === 'Secret' && isMap(data))
    .flatMap(({ data }) => Object.values(data ?? {}).map(String))
    .flatMap(base64 => [base64, Buffer.from(base64, 'base64').toString()])
    .filter(text => text.length >= 12)
