// Reads the component's own cluster as whom the component names: who may write components but not read Secrets must not
// read them through us. A ConfigMap or Secret that is refused is told with the name of who was refused.
import { refText } from '../../../core/object.ts'
import type { Client, Impersonation } from '../../../kube/client-types.ts'
import { ApiError } from '../../../kube/errors.ts'

/** Whom a component acts as may not read what it names. */
export class ReferenceForbidden extends Error {
  override readonly name = 'ReferenceForbidden'
}

/** The very client where the component names nobody. */
export const readingAs = (client: Client, as: Impersonation | undefined): Client => {
  if (!as) return client
  const bound = client.bound({ impersonate: as })
  const get: Client['get'] = (ref, options) =>
    bound.get(ref, options).catch(error => {
      if (!isRefused(error, ref.kind)) throw error
      throw new ReferenceForbidden(`${as.user} may not read the ${refText(ref)}`, { cause: error })
    })
  return { ...bound, get }
}

/** Not who may act as whom: then the answer is about a user. */
const isRefused = (error: unknown, kind: string): boolean =>
  error instanceof ApiError && error.code === 403 && error.details.kind === plurals[kind]

const plurals: Readonly<Record<string, string>> = { ConfigMap: 'configmaps', Secret: 'secrets' }
