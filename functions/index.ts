// The list of all functions. A host loads only the functions that it serves. A new function needs one line here and one block in
// serverless.yml.
import type { FunctionDefinition } from '../shared/runtime/definition.ts'
import { gardenCareSettings } from './garden-care/settings.ts'
import { gardenNetworkPolicySettings } from './garden-network-policy/settings.ts'
import { gardenReconcileSettings } from './garden-reconcile/settings.ts'
import { gatewayCertificateSettings } from './gateway-certificate/settings.ts'
import { istioSettings } from './istio/settings.ts'
import { kymaSettings } from './kyma/settings.ts'
import { mandatoryModulesSettings } from './mandatory-modules-install/settings.ts'
import { manifestSettings } from './manifest/settings.ts'
import { purgeSettings } from './purge/settings.ts'
import { runtimeCertificateSettings } from './runtime-certificate/settings.ts'
import { watcherSettings } from './watcher/settings.ts'

const functions: Readonly<Record<string, () => Promise<FunctionDefinition>>> = {
  component: async () => (await import('./component/index.ts')).componentFunction,
  'garden-admission': async () => (await import('./garden-admission/index.ts')).gardenAdmission,
  'garden-care': async () => (await import('./garden-care/index.ts')).gardenCare,
  'garden-network-policy': async () => (await import('./garden-network-policy/index.ts')).gardenNetworkPolicy,
  'garden-reconcile': async () => (await import('./garden-reconcile/index.ts')).gardenReconcile,
  'garden-reference': async () => (await import('./garden-reference/index.ts')).gardenReference,
  'gateway-certificate': async () => (await import('./gateway-certificate/index.ts')).gatewayCertificate,
  istio: async () => (await import('./istio/index.ts')).istio,
  kyma: async () => (await import('./kyma/index.ts')).kyma,
  manifest: async () => (await import('./manifest/index.ts')).manifest,
  'mandatory-modules-delete': async () => (await import('./mandatory-modules-delete/index.ts')).mandatoryModulesDelete,
  'mandatory-modules-install': async () =>
    (await import('./mandatory-modules-install/index.ts')).mandatoryModulesInstall,
  purge: async () => (await import('./purge/index.ts')).purge,
  'runtime-certificate': async () => (await import('./runtime-certificate/index.ts')).runtimeCertificate,
  'runtime-events': async () => (await import('./runtime-events/index.ts')).runtimeEvents,
  watcher: async () => (await import('./watcher/index.ts')).watcher,
  'webhook-certificate': async () => (await import('./webhook-certificate/index.ts')).webhookCertificate,
}

/** The settings of each function, for programs that do not load functions. */
export const functionSettings: Readonly<Record<string, FunctionDefinition['settings']>> = {
  'garden-care': gardenCareSettings,
  'garden-network-policy': gardenNetworkPolicySettings,
  'garden-reconcile': gardenReconcileSettings,
  'gateway-certificate': gatewayCertificateSettings,
  istio: istioSettings,
  kyma: kymaSettings,
  manifest: manifestSettings,
  'mandatory-modules-install': mandatoryModulesSettings,
  purge: purgeSettings,
  'runtime-certificate': runtimeCertificateSettings,
  watcher: watcherSettings,
}

export const functionNames: readonly string[] = Object.keys(functions)

/** The functions with these names, in this order. Throws if a name is not in the list. */
export const loadFunctions = (names = functionNames): Promise<readonly FunctionDefinition[]> =>
  Promise.all(names.map(loadFunction))

export const loadFunction = async (name: string): Promise<FunctionDefinition> => {
  const load = functions[name]
  if (!load) throw new Error(`functions/index.ts does not list ${name}`)
  return load()
}
