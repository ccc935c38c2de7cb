// All rules for the fields of a Garden. Each theme has a file in themes/.
import type { GardenRule } from './rule.ts'
import { admissionPluginRules } from './themes/admission-plugins.ts'
import { apiServerRules, encryptionRules } from './themes/api-servers.ts'
import { authenticationRules } from './themes/authentication.ts'
import { domainRules } from './themes/domains.ts'
import { gardenerComponentRules, resourceAdmissionRules } from './themes/gardener-components.ts'
import { immutabilityRules } from './themes/immutability.ts'
import { featureGateRules, runtimeConfigRules, versionRules } from './themes/kubernetes-version.ts'
import { networkRules } from './themes/networks.ts'
import { operationRules } from './themes/operations.ts'
import { autoscalingRules, resourceRules, settingsRules, uniquenessRules } from './themes/runtime-cluster.ts'
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
