// Reads references with the component's identity. Otherwise a user who may write components but not read Secrets could read Secrets through
// us. Messages of refusals name the object and the user.
import { refText } from '../../../core/objects/object.ts'
import type { Impersonation, ReadClient } from '../../../kube/client-types.ts'
import { ApiError } from '../../../kube/errors.ts'

/** The component's user may not read the object. */
export class ReferenceForbidden extends Error {
  override readonly name = 'ReferenceForbidden'
}

/** Returns the same client if `as` is undefined. */
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

/** Whether the read was refused. If the impersonation was refused, the details name a user instead. */
const isRefused = (error: unknown, kind: string): boolean =>
  error instanceof ApiError && error.code === 403 && error.details.kind === plurals[kind]

const plurals: Readonly<Record<string, string>> = { ConfigMap: 'configmaps', Secret: 'secrets' }
