// spec of a Garden.
import { about, atomic, list, nonEmptyList, nonEmptyText, object, raw, text } from '../schema.ts'
import { idle, localRef } from './parts.ts'
import { runtimeCluster } from './runtime-cluster.ts'
import { virtualCluster } from './virtual-cluster.ts'

const dnsProvider = object({ name: nonEmptyText, type: nonEmptyText, secretRef: localRef }, { providerConfig: raw })

const resourceRef = atomic(object({ kind: text, name: text }, { apiVersion: text }))

export const gardenSpec = about(
  'What the installation shall be.',
  object(
    { runtimeCluster, virtualCluster },
    {
      dns: idle(object({ providers: nonEmptyList(dnsProvider) })),
      extensions: idle(list(object({ type: nonEmptyText }, { providerConfig: raw }))),
      resources: about(
        'Further Secrets and ConfigMaps of namespace garden that belong to the Garden.',
        list(object({ name: text, resourceRef })),
      ),
    },
  ),
)
