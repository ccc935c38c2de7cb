// Whether istiod can read the trust domain. Else it reads nothing of the configuration of the mesh, and does not start again.
import { isText } from '../../../../shared/core/json/json.ts'
import { hasLongLabel, hasSubdomainForm } from '../../../../shared/core/objects/dns-name.ts'

/** undefined: it is well, or not given. */
export const trustDomainFault = (domain: unknown): string | undefined => {
  if (!isText(domain)) return undefined
  const rest = domain.replace(/\.$/, '')
  const isFine = hasSubdomainForm(rest) && !hasLongLabel(rest)
  return isFine ? undefined : `spec.config.trustDomain: ${JSON.stringify(domain)} is no DNS name`
}
