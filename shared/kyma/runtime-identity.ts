// By which names people know the runtime of a Kyma: its domain, the shoot that the domain begins with, and its instance.
import { kymaNames } from '../api/kyma/names.ts'
import { isLabelValue } from '../core/objects/label.ts'
import type { Kyma } from './kinds.ts'

/** Why nothing can be made for the Kyma: its access Secret, Manifests and certificate are found by a label with its name. */
export const nameFault = ({ metadata: { name } }: Kyma): string | undefined =>
  isLabelValue(name)
    ? undefined
    : `the name of the Kyma has ${name.length} characters, and a label by which its access Secret and Manifests are found has room for 63`

/** Such as `c-1234.kyma.example.com`. */
export const domainOf = ({ metadata }: Kyma): string | undefined =>
  metadata.annotations?.[kymaNames.annotations.skrDomain] || undefined

/** Why an operator of certificates cannot be asked for that of the runtime. */
export const domainMissing = `the Kyma has no annotation ${kymaNames.annotations.skrDomain}, which names the domain of its runtime`

/** The labels that name the runtime in metrics; empty where the Kyma does not say. */
export const runtimeLabels = (kyma: Kyma): { shoot: string; instance_id: string } => ({
  shoot: domainOf(kyma)?.split('.')[0] ?? '',
  instance_id: kyma.metadata.labels?.[kymaNames.labels.instanceId] ?? '',
})
