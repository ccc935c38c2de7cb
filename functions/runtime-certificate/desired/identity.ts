// Who a runtime is in its certificate, and under which names its agent is reached there.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'
import { syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import { domainOf } from '../../../shared/kyma/runtime-identity.ts'

/** The runtime-id; the Kyma's name where it has none. */
export const runtimeNameIn = ({ metadata }: Kyma): string =>
  metadata.labels?.[kymaNames.labels.runtimeId] || metadata.name

/** The domain of the runtime, if it is known, further names, and those of the agent's Service. */
export const namesOf = (kyma: Kyma, further: readonly string[]): readonly string[] => {
  const domain = domainOf(kyma)
  const service = `skr-webhook.${syncNamespace(kyma)}`
  return [
    ...(domain === undefined ? [] : [domain]),
    ...further,
    `${service}.svc.cluster.local`,
    `${service}.svc`,
    service,
  ]
}
