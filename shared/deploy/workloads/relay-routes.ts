// Where the relay finds each function, as a ConfigMap it mounts, one file per function: the one thing about functions
// that depends on the layout. Everything else the relay takes from serverless.yml.
import type { Landscape } from '../../api/serverless.ts'
import type { KubeObject } from '../../core/object.ts'
import { isAdmission } from '../landscape/events.ts'
import { partLabels } from '../manifests/conventions.ts'

export const routesName = 'relay-routes'

/** Functions the relay calls, with the URL below which each answers. */
export const relayRoutes = (landscape: Landscape, urlOf: (name: string) => string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: routesName, namespace: landscape.provider.namespace, labels: partLabels },
  data: Object.fromEntries(
    Object.entries(landscape.functions)
      .filter(([, settings]) => !isAdmission(settings))
      .map(([name]) => [name, urlOf(name)]),
  ),
})
