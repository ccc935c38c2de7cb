// Identifies callers by their tokens (TokenReview), and checks for each kind and namespace whether the caller may list objects
// (SubjectAccessReview). Answers are cached for at most a minute, separately for each user.
import { createHash } from 'node:crypto'
import { kymaNames } from '../api/kyma/names.ts'
import { canonicalJson, isText, type JsonMap, mapOrEmpty, mapsIn, parsedJson } from '../core/json/json.ts'
import { BoundedCache } from '../core/memory/bounded-cache.ts'
import { keptOrMade } from '../core/memory/remembered.ts'
import {
  type ClusterName,
  type GroupVersionKind,
  groupAndKind,
  groupResourceOf,
  type KubeObject,
  refOf,
  refText,
} from '../core/objects/object.ts'
import { atOnce } from '../kube/at-once.ts'
import type { BindableClusters, Client, ListQuery, ReadClusters, Reads } from '../kube/client-types.ts'
import { readOnlyClusters } from '../kube/clusters/read-only.ts'
import { isAllowed, type ReviewedUser, reviewedUser } from '../kube/reviews.ts'
import { type Link, placeOf } from '../runtime/why/chain.ts'

export type Caller = {
  /** Identifies the user, including all data on which rights depend. */
  readonly id: string
  readonly name: string
  mayList(kind: GroupVersionKind, namespace: string): Promise<boolean>
  /** The namespaces in which the caller may list the kind. Checks at most `namespacesMost` namespaces. */
  listable(kind: GroupVersionKind, namespaces: readonly string[]): Promise<ReadonlySet<string>>
}

type RightsParts = {
  /** A client that may create TokenReviews and SubjectAccessReviews. */
  readonly client: Pick<Client, 'raw'>
  readonly audience: string
  /** A monotonic clock in milliseconds. */
  readonly clock: () => number
}

const keptMilliseconds = 60_000
const usersMost = 200
const answersMost = 4_000
const namespacesMost = 500
const questionsAtOnce = 10

/** `of` returns undefined if the token is not valid. */
type Callers = {
  of(token: string): Promise<Caller | undefined>
  /** Whether the answer about the token is cached, so that no request is needed. */
  knows(token: string): boolean
  /** The caller for a person who is known without a token. */
  known(user: ReviewedUser): Caller
}

type Kept<T> = { readonly answer: Promise<T>; readonly at: number }

export const callersBy = ({ client, audience, clock }: RightsParts): Callers => {
  const users = new BoundedCache<string, Kept<ReviewedUser | undefined>>(usersMost)
  const answers = new BoundedCache<string, BoundedCache<string, Kept<boolean>>>(usersMost)
  const mayList = (user: ReviewedUser, id: string, kind: GroupVersionKind, namespace: string): Promise<boolean> => {
    const own = keptOrMade(answers, id, () => new BoundedCache<string, Kept<boolean>>(answersMost))
    const question = { verb: 'list', ...groupResourceOf(kind), namespace }
    return kept(own, canonicalJson(question), { clock, ask: () => isAllowed(client, user, question) })
  }
  const known = (user: ReviewedUser): Caller => {
    const id = canonicalJson(user)
    const may = (kind: GroupVersionKind, namespace: string) => mayList(user, id, kind, namespace)
    return {
      id,
      name: user.username,
      mayList: async (kind, namespace) => (await may(kind, '')) || (namespace !== '' && (await may(kind, namespace))),
      listable: async (kind, namespaces) => {
        if (await may(kind, '')) return new Set(namespaces)
        const asked = namespaces.filter(Boolean).slice(0, namespacesMost)
        const found = await atOnce(
          asked.map(namespace => async () => ((await may(kind, namespace)) ? [namespace] : [])),
          questionsAtOnce,
        )
        return new Set(found.flat())
      },
    }
  }
  const of = async (token: string): Promise<Caller | undefined> => {
    if (hasEnded(token)) return undefined
    const ask = () => reviewedUser(client, { token, audience })
    const user = await kept(users, digestOf(token), { clock, ask })
    return user && known(user)
  }
  return { of, known, knows: token => isFresh(users.get(digestOf(token)), clock) }
}

const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64')

/** Whether the service account token has expired, by its own expiry time. A cached answer must not be used longer than the token. */
const hasEnded = (token: string): boolean => {
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
  const end = mapOrEmpty(parsedJson(payload)).exp
  return typeof end === 'number' && end * 1_000 <= Date.now()
}

type Asking<T> = { readonly clock: () => number; readonly ask: () => Promise<T> }

const isFresh = (last: Kept<unknown> | undefined, clock: () => number): boolean =>
  last !== undefined && clock() - last.at < keptMilliseconds

/** A failed request is not cached. */
const kept = async <T>(cache: BoundedCache<string, Kept<T>>, key: string, { clock, ask }: Asking<T>): Promise<T> => {
  const last = cache.get(key)
  if (last && isFresh(last, clock)) return last.answer
  const asked = { answer: ask(), at: clock() }
  cache.set(key, asked)
  asked.answer.catch(() => {
    if (cache.get(key) === asked) cache.delete(key)
  })
  return asked.answer
}

export type CallerReads = {
  reads(on: ClusterName): Promise<Reads>
  maySee(asked: Asked, on: ClusterName): Promise<boolean>
  lastWriter(object: string, on: ClusterName): Writer | undefined
}

export type Writer = { readonly manager: string; readonly at: string }

type Asked = Pick<ListQuery, 'apiVersion' | 'kind' | 'namespace'>

/** The maximum number of kinds and namespaces that are checked for one page, because each check is a request. All other objects count as hidden. */
const placesMost = 200
/** The time limit for all reads of a page together. */
const pageMilliseconds = 5_000

export const isSecret = (kind: Pick<Asked, 'apiVersion' | 'kind'>): boolean => groupAndKind(kind) === '/Secret'

/** Whether the caller may list the Secrets with kubeconfigs. Such a caller could read these clusters without the console. */
export const mayReachRuntimes = (caller: Caller): Promise<boolean> =>
  caller.mayList({ apiVersion: 'v1', kind: 'Secret' }, kymaNames.namespaces.controlPlane)

const unseen = 'the caller may not list this kind here'

export const readsFor = (caller: Caller, clusters: BindableClusters): CallerReads => {
  const bound: ReadClusters = readOnlyClusters(clusters.bound({ signal: AbortSignal.timeout(pageMilliseconds) }))
  const writers = new Map<string, Writer>()
  const places = new Map<ClusterName, Promise<ClusterName>>()
  const placed = (on: ClusterName): Promise<ClusterName> => keptOrMade(places, on, () => placeOf(on, bound))
  const answers = new Map<string, Promise<boolean>>()
  const lanes: Promise<unknown>[] = []
  const mayList = (kind: GroupVersionKind, namespace: string): Promise<boolean> => {
    const place = `${groupAndKind(kind)} ${namespace}`
    const lane = answers.size % questionsAtOnce
    const known = answers.get(place)
    if (known || answers.size >= placesMost) return known ?? Promise.resolve(false)
    const answer = Promise.resolve(lanes[lane]).then(() => caller.mayList(kind, namespace))
    answers.set(place, answer)
    lanes[lane] = answer.catch(() => undefined)
    return answer
  }
  const maySee: CallerReads['maySee'] = async ({ namespace = '', ...kind }, on) =>
    (await placed(on)) === 'local' ? mayList(kind, namespace) : mayReachRuntimes(caller)
  const readable = async (asked: Asked, on: ClusterName): Promise<Reads> => {
    if (!(await maySee(asked, on))) throw new Error(unseen)
    if (isSecret(asked)) throw new Error('Secrets are not read here')
    return bound.of(await placed(on))
  }
  const noted = (object: KubeObject, on: ClusterName): KubeObject => {
    const writer = writerOf(object)
    if (writer) writers.set(`${on} ${refText(refOf(object))}`, writer)
    const { managedFields: _, ...metadata } = object.metadata
    return { ...object, metadata }
  }
  const reads = async (on: ClusterName): Promise<Reads> => ({
    get: async (ref, options) => {
      const found = await (await readable(ref, on)).get(ref, { ...options, withManagedFields: true })
      return found && noted(found, on)
    },
    list: async query => {
      const found = await (await readable(query, on)).list({ ...query, withManagedFields: true })
      return found.map(object => noted(object, on))
    },
  })
  return { reads, maySee, lastWriter: (object, on) => writers.get(`${on} ${object}`) }
}

const writerOf = ({ metadata }: KubeObject): Writer | undefined => {
  const last = mapsIn(metadata.managedFields).reduce<JsonMap | undefined>(
    (latest, entry) => (latest && timeIn(latest) >= timeIn(entry) ? latest : entry),
    undefined,
  )
  return last && isText(last.manager) ? { manager: last.manager, at: timeIn(last) } : undefined
}

const timeIn = ({ time }: JsonMap): string => (isText(time) ? time : '')

/** A chain without the parts that the caller may not see, and the number of omitted parts. */
export const seenPart = (link: Link): { readonly link: Link; readonly hidden: number } => {
  const below = link.because.map(seenPart)
  const isUnseen = ({ is, says }: Link): boolean => is === 'unknown' && says.some(sentence => sentence.includes(unseen))
  const shown = below.filter(({ link }) => !isUnseen(link))
  const hidden = below.reduce((sum, one) => sum + one.hidden, below.length - shown.length)
  return { link: { ...link, because: shown.map(one => one.link) }, hidden }
}
