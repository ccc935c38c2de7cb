// Why a runtime gets no certificate.
import { kymaNames } from '../../shared/api/kyma/names.ts'

/** An operator is asked for a certificate of the runtime's domain, which nobody knows. */
export const domainMissing = `the Kyma has no annotation ${kymaNames.annotations.skrDomain}, which names the domain of its runtime`
