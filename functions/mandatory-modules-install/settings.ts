// Settings of mandatory-modules-install.
import { sharedSettings } from '../../shared/kyma/settings.ts'

const { registry, registrySecret, signature } = sharedSettings

export const mandatoryModulesSettings = { registry, registrySecret, signature }
