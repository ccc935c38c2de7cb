// Finds functions with cluster-scoped kinds. Owner references and labels contain only names, so a mapping may need to know whether the
// owner is in the object's namespace.
import { mapOrEmpty, mapsIn } from '../../core/json/json.ts'
import type { GroupVersionKind } from '../../core/objects/object.ts'
import type { Client } from '../../kube/client-types.ts'
import { isNotFound } from '../../kube/errors.ts'
import type { Reconciler } from '../reconcilers.ts'
import type { OwnKinds } from './mapping.ts'

export class NamespacedKinds {
  readonly #client: Client
  readonly #clusterScoped = new Set<string>()

  constructor(client: Client) {
    this.#client = client
  }

  /** An unserved kind counts as namespaced. */
  targetOf({ name, own }: Reconciler): OwnKinds {
    return { kinds: own, isNamespaced: !this.#clusterScoped.has(name) }
  }

  /** Rejects only when all requests fail, because an unavailable API group must not delay other functions. */
  async learnAll(reconcilers: readonly Reconciler[]): Promise<void> {
    const answers = await Promise.allSettled(reconcilers.filter(needsScope).map(reconciler => this.learn(reconciler)))
    const failures = answers.flatMap(answer => (answer.status === 'rejected' ? [answer.reason] : []))
    if (failures.length > 0 && failures.length === answers.length) throw failures[0]
  }

  async learn(reconciler: Reconciler): Promise<void> {
    const [kind] = reconciler.own
    if (!kind || kind.namespace !== undefined || !needsScope(reconciler)) return
    if (await isClusterScoped(this.#client, kind)) this.#clusterScoped.add(reconciler.name)
    else this.#clusterScoped.delete(reconciler.name)
  }
}

const needsScope = ({ watches, inventories }: Reconciler): boolean =>
  inventories.length > 0 || watches.some(({ map }) => map === 'owner' || (typeof map !== 'string' && !('key' in map)))

const isClusterScoped = async (client: Client, { apiVersion, kind }: GroupVersionKind): Promise<boolean> => {
  try {
    const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
    const list = await client.raw({ method: 'GET', path })
    const resources = mapsIn(mapOrEmpty(list).resources)
    return resources.some(resource => resource.kind === kind && resource.namespaced === false)
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}
