// Every rule about the fields of a Garden. A new one is a row of the file of its theme; a new theme is a file here.
import { admissionPluginRules } from './admission-plugins.ts'
import { apiServerRules } from './api-servers.ts'
import { authenticationRules } from './authentication.ts'
import { autoscalingRules } from './autoscaling.ts'
import { domainRules } from './domains.ts'
import { encryptionRules } from './encryption.ts'
import { featureGateRules } from './feature-gates.ts'
import { gardenerComponentRules } from './gardener-components.ts'
import { immutabilityRules } from './immutability.ts'
import { versionRules } from './kubernetes-version.ts'
import { networkRules } from './networks.ts'
import { operationRules } from './operations.ts'
import { resourceAdmissionRules } from './resource-admission.ts'
import { resourceRules } from './resources.ts'
import type { GardenRule } from './rule.ts'
import { runtimeConfigRules } from './runtime-config.ts'
import { schemaRules } from './schema.ts'
import { settingsRules } from './settings.ts'
import { uniquenessRules } from './uniqueness.ts'

/** About the annotations: these hold for a Garden in deletion too. */
export const metadataRules: readonly GardenRule[] = operationRules

/** About the whole Garden. */
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
