// Reads the Namespaces that a module brings and its cluster has already. Example: a module brings Namespace `monitoring`, in which somebody
// has run programs for a year: it stays when the module goes.
import { groupOf, type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { isKeptNamespace, keptNamespace } from '../desired/kept-namespace.ts'
import { isOfModules } from '../rules/definitions-of-others.ts'
import { isNamed } from '../rules/layer-objects.ts'
import { isNamespace } from '../rules/removal.ts'

/** The same objects, but for Namespaces that came with no module: these say that they are never deleted. */
export const withFoundNamespaces = (objects: readonly KubeObject[], client: Client): Promise<KubeObject[]> =>
  Promise.all(
    objects.map(async object => {
      if (!isNamespace({ group: groupOf(object.apiVersion), kind: object.kind }) || !isNamed(object)) return object
      const live = await client.get({ ...refOf(object), namespace: '' }, { withManagedFields: true })
      return live && (isKeptNamespace(live) || !isOfModules(live)) ? keptNamespace(object) : object
    }),
  )
