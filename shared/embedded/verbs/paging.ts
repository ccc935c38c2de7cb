// Continue tokens: where a paged list continues, and at which revision.
import { posix } from 'node:path'
import { badRequest, StatusError } from '../status.ts'
import type { Store } from '../storage/store.ts'
import { isMap, parsedJson } from '../value.ts'

/** `start`: the rest of a key below the listed prefix. A negative revision: the current one. */
export type Position = { readonly revision: number; readonly start: string }

const version = 'meta.k8s.io/v1'

export const continueToken = ({ revision, start }: Position): string =>
  Buffer.from(JSON.stringify({ v: version, rv: revision, start })).toString('base64url')

export const readContinueToken = (token: string): Position => {
  const { v, rv, start } = decoded(token)
  if (v !== version)
    throw badRequest(
      `invalid continue token: continue key is not valid: server does not recognize this encoded version ${v ?? ''}`,
    )
  if (start === '' && rv !== 0)
    throw badRequest(
      'invalid continue token: continue key is not valid: encoded start key empty (version meta.k8s.io/v1)',
    )
  if (typeof start !== 'string' || start === '' || typeof rv !== 'number' || rv === 0)
    throw badRequest(
      'invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    )
  if (!isPlain(start)) throw badRequest(`invalid continue token: continue key is not valid: ${start}`)
  return { revision: rv, start: start.replace(/^\//, '') }
}

const isPlain = (start: string): boolean => {
  const path = start.startsWith('/') ? start : `/${start}`
  return posix.normalize(path) === path && !path.endsWith('/')
}

const decoded = (token: string): Record<string, unknown> => {
  const odd = token.search(/[^\w-]/)
  if (odd >= 0)
    throw badRequest(`invalid continue token: continue key is not valid: illegal base64 data at input byte ${odd}`)
  const text = Buffer.from(token, 'base64url').toString()
  const value = parsedJson(text)
  if (isMap(value)) return value
  throw badRequest(
    `invalid continue token: continue key is not valid: invalid character '${text[0] ?? ''}' looking for beginning of value`,
  )
}

const expiredPage =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

/** 410 for compacted revisions; a page gets the token that continues at the current one. */
export const refuseExpired = (store: Store, at: { revision: number; start?: string }): void => {
  if (at.revision >= store.history.compacted) return
  if (at.start === undefined)
    throw new StatusError(410, 'Expired', 'The resourceVersion for the provided list is too old.')
  const onward = continueToken({ revision: -1, start: at.start })
  throw new StatusError(410, 'Expired', expiredPage, undefined, { continue: onward })
}
