// Reads a component's references, impersonating whom the component names, so that somebody who may write components but not
// read Secrets cannot read them through us. If a ConfigMap or Secret is refused, the message names object and user.
import { refText } from '../../../core/objects/object.ts'
import type { Impersonation, ReadClient } from '../../../kube/client-types.ts'
import { ApiError } from '../../../kube/errors.ts'

/** The user that the component acts as may not read the object. */
export class ReferenceForbidden extends Error {
  override readonly name = 'ReferenceForbidden'
}

/** The client itself if the component names nobody. */
export const readingAs = (client: ReadClient, as: Impersonation | undefined): ReadClient => {
  if (!as) return client
  const bound = client.bound({ impersonate: as })
  const get: ReadClient['get'] = (ref, options) =>
    bound.get(ref, options).catch(error => {
      if (!isRefused(error, ref.kind)) throw error
      throw new ReferenceForbidden(`${as.user} may not read the ${refText(ref)}`, { cause: error })
    })
  return { ...bound, get }
}

/** The object was refused. If the impersonation was refused, the answer's details name a user instead. */
const isRefused = (error: unknown, kind: string): boolean =>
  error instanceof ApiError && error.code === 403 && error.details.kind === plurals[kind]

const plurals: Readonly<Record<string, string>> = { ConfigMap: 'configmaps', Secret: 'secrets' }
