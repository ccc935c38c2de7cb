// The ConfigMap with the URL of each function, one file per function, which the relay mounts. URLs depend on the layout; the relay takes
// everything else from serverless.yml.
import type { Landscape } from '../../api/serverless.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { isCalledByRelay } from '../landscape/events.ts'
import { partLabels } from '../manifests/conventions.ts'

export const routesName = 'relay-routes'

export const relayRoutes = (landscape: Landscape, urlOf: (name: string) => string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: routesName, namespace: landscape.provider.namespace, labels: partLabels },
  data: Object.fromEntries(
    Object.entries(landscape.functions)
      .filter(([, settings]) => isCalledByRelay(settings))
      .map(([name]) => [name, urlOf(name)]),
  ),
})
