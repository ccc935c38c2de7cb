// What is told of a write of a Secret that is refused. An API server that cannot read what it was sent quotes it, and from
// there it would get into statuses, Events and logs.
import type { GroupVersionKind } from '../core/object.ts'
import { ApiError, type StatusCause } from './errors.ts'

/** What a write rejected with, fit to be told. `asked` is the request in words. */
export const withoutSecrets = (error: unknown, { kind, asked }: { kind: GroupVersionKind; asked: string }): unknown =>
  error instanceof ApiError && isSecret(kind) && !namesOnly.has(error.code) ? withoutMessage(error, asked) : error

const isSecret = ({ apiVersion, kind }: GroupVersionKind): boolean => apiVersion === 'v1' && kind === 'Secret'

/** Answers about who asks and for which object. Any other may be about what the object holds. */
const namesOnly: ReadonlySet<number> = new Set([401, 403, 404, 409, 410, 429])

const withoutMessage = ({ code, reason, details, retryAfterSeconds }: ApiError, asked: string): ApiError => {
  const causes = details.causes?.map(({ reason, field }): StatusCause => ({ reason, field }))
  const fields = causes?.flatMap(({ field }) => field ?? []) ?? []
  const where = fields.length > 0 ? ` for ${fields.join(', ')}` : ''
  const message = `${asked}: the API server answered ${code} ${reason}${where}; its message may quote the Secret and is left out`
  return new ApiError({ code, reason, message, details: { ...details, causes }, retryAfterSeconds })
}
