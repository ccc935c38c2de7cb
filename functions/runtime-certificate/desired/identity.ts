// Who a runtime is in its certificate, and under which names its agent is reached there.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { isSubdomain } from '../../../shared/core/objects/dns-name.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'
import { syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import { domainOf } from '../../../shared/kyma/runtime-identity.ts'

/** The runtime-id; the Kyma's name where it has none. */
export const runtimeNameIn = ({ metadata }: Kyma): string =>
  metadata.labels?.[kymaNames.labels.runtimeId] || metadata.name

/** The domain of the runtime, if it is known, further names, and those of the agent's Service; without what no certificate can name. */
export const namesOf = (kyma: Kyma, further: readonly string[]): readonly string[] => {
  const domain = domainOf(kyma)
  const service = `skr-webhook.${syncNamespace(kyma)}`
  return [
    ...(domain === undefined ? [] : [domain]),
    ...further,
    `${service}.svc.cluster.local`,
    `${service}.svc`,
    service,
  ].filter(isServerName)
}

/** In any case, also of all servers in a domain, such as `*.example.com`. */
const isServerName = (name: string): boolean => isSubdomain(name.replace(/^\*\./, '').toLowerCase())
