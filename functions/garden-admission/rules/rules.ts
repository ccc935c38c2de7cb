// All rules for the fields of a Garden. Each theme has a file in themes/.
import type { GardenRule } from './rule.ts'
import { admissionPluginRules } from './themes/admission-plugins.ts'
import { apiServerRules } from './themes/api-servers.ts'
import { authenticationRules } from './themes/authentication.ts'
import { domainRules } from './themes/domains.ts'
import { encryptionRules } from './themes/encryption.ts'
import { featureGateRules } from './themes/feature-gates.ts'
import { gardenerComponentRules } from './themes/gardener-components.ts'
import { immutabilityRules } from './themes/immutability.ts'
import { versionRules } from './themes/kubernetes-version.ts'
import { networkRules } from './themes/networks.ts'
import { operationRules } from './themes/operations.ts'
import { resourceAdmissionRules } from './themes/resource-admission.ts'
import { resourceRules, uniquenessRules } from './themes/resources.ts'
import { autoscalingRules, settingsRules } from './themes/runtime-cluster.ts'
import { runtimeConfigRules } from './themes/runtime-config.ts'
import { schemaRules } from './themes/schema.ts'

/** Rules for annotations. They also apply to Gardens in deletion. */
export const metadataRules: readonly GardenRule[] = operationRules

export const gardenRules: readonly GardenRule[] = [
  ...metadataRules,
  ...uniquenessRules,
  ...resourceRules,
  ...domainRules,
  ...networkRules,
  ...settingsRules,
  ...autoscalingRules,
  ...versionRules,
  ...apiServerRules,
  ...runtimeConfigRules,
  ...admissionPluginRules,
  ...featureGateRules,
  ...authenticationRules,
  ...encryptionRules,
  ...gardenerComponentRules,
  ...resourceAdmissionRules,
  ...immutabilityRules,
  ...schemaRules,
]
