// Identifies callers by their tokens (TokenReview), and checks for each kind and namespace whether the caller may list objects
// (SubjectAccessReview). Answers are cached for at most a minute, separately for each user.
import { createHash } from 'node:crypto'
import { canonicalJson, mapOrEmpty, parsedJson } from '../core/json/json.ts'
import { BoundedCache } from '../core/memory/bounded-cache.ts'
import { keptOrMade } from '../core/memory/remembered.ts'
import type { GroupVersionKind } from '../core/objects/object.ts'
import { groupResourceOf } from '../core/objects/resource-name.ts'
import { atOnce } from '../kube/at-once.ts'
import type { Client } from '../kube/client-types.ts'
import { isAllowed, type ReviewedUser, reviewedUser } from '../kube/reviews.ts'

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
