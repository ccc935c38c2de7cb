// A request for which the client has no verb, such as a TokenReview.
import type { RawRequest } from '../client-types.ts'
import type { ApiRequest } from '../connection/request.ts'
import { ask, type Session } from './session.ts'

/** The answer's body: JSON parsed, other text as it is. Only reads are repeated. */
export const rawRequest = (session: Session, request: RawRequest): Promise<unknown> =>
  ask(session, {
    verb: 'raw',
    method: methodOf(request.method),
    path: request.path,
    accept: request.accept ?? 'application/json, */*;q=0.5',
    repeatability: request.method === 'GET' ? 'read' : 'once',
    ...(request.body !== undefined && {
      contentType: request.contentType ?? 'application/json',
      body: JSON.stringify(request.body),
    }),
  })

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const

const methodOf = (text: string): ApiRequest['method'] => {
  const method = methods.find(known => known === text)
  if (!method) throw new TypeError(`"${text}" is no HTTP method that an API server knows`)
  return method
}
