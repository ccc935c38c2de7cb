// What passed the proxy: every request, what became of it, and what it changed. It judges by the API server's answers,
// so a write whose reply the caller never saw counts as what it was.
import { type Moment, thisMoment } from '../../harness/standing-clock.ts'
import type { Fault } from './faults.ts'
import { isWrite, type KubeRequest } from './request.ts'
import { fits, type Match } from './rules.ts'

export type Effect = 'none' | 'created' | 'changed' | 'deleted'

export type Entry = KubeRequest & {
  readonly caller: string
  /** What the API server answered. */
  readonly code: number
  readonly effect: Effect
  readonly fault?: Fault['do']
  /** The state of the object that the answer showed, by uid and resourceVersion; '' for one that is gone with it. */
  readonly left: string
  /** What a write asks the object to be still like. */
  readonly bound: Preconditions
}

export type Preconditions = { readonly uid?: string; readonly resourceVersion?: string }

/** A request as it came in, whatever became of it. */
export type Arrival = KubeRequest & Moment & { readonly caller: string }

export type ObjectCounts = { created: number; changed: number; deleted: number }

export type Ledger = {
  readonly entries: readonly Entry[]
  /** In the order of their coming. */
  readonly arrivals: readonly Arrival[]
  /** Notes a request that has just come in; the answer is to be noted with it. */
  arrived(request: KubeRequest, caller: string, sent: Buffer): Turn
  /** Notes a request that the API server has answered. */
  note(seen: Seen): void
  count(match: Match): number
  /** Writes that the API server has seen, effective or not, dry runs left out. */
  writes(): Entry[]
  /** What happened to each object that was created, changed or deleted, by `resource namespace/name`. */
  effects(): Record<string, ObjectCounts>
  /** Begins a new page; what is known of resourceVersions stays. */
  reset(): void
}

/** Which of two things came first. */
export type Turn = number

export type Seen = {
  since: Turn
  request: KubeRequest
  caller: string
  code: number
  /** What was asked. */
  sent: Buffer
  /** What was answered. */
  body: Buffer
  fault?: Fault['do']
}

export const newLedger = (): Ledger => {
  const entries: Entry[] = []
  const arrivals: Arrival[] = []
  /** When each version of each object was seen first. */
  const versions = new Map<string, Turn>()
  const gone = new Set<string | undefined>()
  const answered = parsedOnce()
  let now: Turn = 0
  return {
    entries,
    arrivals,
    arrived: (request, caller, sent) => {
      const name = request.name || (parsed(request, sent).metadata?.name ?? '')
      arrivals.push({ ...request, name, caller, ...thisMoment() })
      return ++now
    },
    note: ({ since, request, caller, code, sent, body, fault }) => {
      const answer = answered(request, body)
      const uid = answer.metadata?.uid
      const version = versionText(answer)
      // Another caller may have read already what this write has made: only versions from before it came count.
      const isOld = (versions.get(version) ?? Infinity) < since
      const isKnown = isLetGo(answer) ? gone.has(uid) : isOld
      const effect = effectOf({ request, code, answer, isKnown })
      if (!versions.has(version)) versions.set(version, ++now)
      if (isLetGo(answer)) gone.add(uid)
      const name = request.name || (answer.metadata?.name ?? '')
      entries.push({
        ...request,
        name,
        caller,
        code,
        effect,
        fault,
        left: isLetGo(answer) ? '' : version,
        bound: preconditions(request, sent),
      })
    },
    count: match => entries.filter(entry => fits(match, entry)).length,
    writes: () => entries.filter(entry => isWrite(entry) && !entry.isDryRun),
    effects: () => {
      const counts: Record<string, ObjectCounts> = {}
      for (const entry of effective(entries)) {
        const object = counts[objectText(entry)] ?? { created: 0, changed: 0, deleted: 0 }
        counts[objectText(entry)] = { ...object, [entry.effect]: object[entry.effect] + 1 }
      }
      return counts
    },
    reset: () => {
      entries.length = 0
      arrivals.length = 0
    },
  }
}

/**
 * Those that made something. Writes that overlap may show the same state, such as two applies of one object, of which the second finds
 * done what the first has done: only one of them has made it.
 */
const effective = (entries: readonly Entry[]): readonly (Entry & { effect: Exclude<Effect, 'none'> })[] => {
  const made = new Set(entries.filter(({ effect }) => effect === 'created').map(({ left }) => left))
  return entries.filter((entry): entry is Entry & { effect: Exclude<Effect, 'none'> } => {
    if (entry.effect !== 'changed' || entry.left === '') return entry.effect !== 'none'
    const isFirst = !made.has(entry.left)
    made.add(entry.left)
    return isFirst
  })
}

/** Whether so much lies between two arrivals: a timer counts whole milliseconds, from the beginning of the one it is set in. */
export const hasWaited = (milliseconds: number, seconds: number): boolean => Math.ceil(milliseconds) >= seconds * 1000

/** The object a request is about; its subresources are the same object. */
export const objectText = ({ resource, namespace, name }: KubeRequest): string =>
  `${resource.split('/')[0]} ${namespace ? `${namespace}/` : ''}${name}`

type Sent = { metadata?: Preconditions; preconditions?: Preconditions }

const preconditions = (request: KubeRequest, sent: Buffer): Preconditions => {
  if (!isWrite(request) || sent[0] !== brace) return {}
  const body = JSON.parse(sent.toString()) as Sent
  const { uid, resourceVersion } = (request.verb === 'delete' ? body.preconditions : body.metadata) ?? {}
  return { uid, resourceVersion }
}

type Answer = {
  kind?: string
  metadata?: {
    name?: string
    uid?: string
    resourceVersion?: string
    deletionTimestamp?: string
    finalizers?: string[]
  }
}

/** Lists and streams change nothing and may be long: they are not read. */
const parsed = (request: KubeRequest, body: Buffer): Answer =>
  request.resource !== '' && (isWrite(request) || request.verb === 'get') && body[0] === brace
    ? JSON.parse(body.toString())
    : {}

/** What is read again and again, such as a definition, is parsed again only when it has changed. */
const parsedOnce = (): typeof parsed => {
  const latest = new Map<string, { readonly body: Buffer; readonly answer: Answer }>()
  return (request, body) => {
    const known = latest.get(objectText(request))
    if (known?.body.equals(body)) return known.answer
    const answer = parsed(request, body)
    latest.set(objectText(request), { body, answer })
    return answer
  }
}

const brace = '{'.charCodeAt(0)

const versionText = ({ metadata }: Answer): string => `${metadata?.uid} ${metadata?.resourceVersion}`

type Judged = { request: KubeRequest; code: number; answer: Answer; isKnown: boolean }

/** First row that applies. A write that leaves the resourceVersion as it was has changed nothing. */
const effects: readonly [when: (judged: Judged) => boolean, effect: Effect][] = [
  [({ request, code }) => !isWrite(request) || request.isDryRun || code >= 300, 'none'],
  [({ request }) => isQuestion(request), 'none'],
  [({ code }) => code === 201, 'created'],
  [({ request, answer }) => request.verb === 'delete' && answer.kind === 'Status', 'deleted'],
  [({ isKnown }) => isKnown, 'none'],
  [({ request }) => request.verb === 'delete', 'deleted'],
  [() => true, 'changed'],
]

/**
 * Without its last finalizer an object in deletion is gone. The API server answers with its last resourceVersion, and
 * says so to everybody who takes that finalizer away at the same time.
 */
const isLetGo = ({ metadata }: Answer): boolean =>
  metadata?.deletionTimestamp !== undefined && !metadata.finalizers?.length

/** Reviews and tokens are asked for with a POST and stored nowhere. */
const isQuestion = ({ group, resource }: KubeRequest): boolean =>
  ['authentication.k8s.io', 'authorization.k8s.io'].includes(group) || resource.endsWith('/token')

const effectOf = (judged: Judged): Effect => effects.find(([when]) => when(judged))?.[1] ?? 'none'
