// What whoever runs Espalier chooses for all of their landscape, beside serverless.yml. The host takes it from its settings
// and hands it to every call; the defaults count where nobody chose.

export type Installation = {
  readonly garden: GardenInstallation
}

export type GardenInstallation = {
  /** How often a Garden is cared for. */
  readonly careSeconds: number
  /** How long a condition that was True may fail before it is False, by its type; at once for types that are absent. */
  readonly conditionThresholds: Readonly<Record<string, number>>
  /** Feature gates that are on. */
  readonly featureGates: readonly string[]
  /** Label selectors of further namespaces that get all of the Garden's network policies. */
  readonly namespaceSelectors: readonly string[]
  /** `host:port` to dial instead of the virtual garden's address in kubeconfigs; its name in TLS stays. */
  readonly virtualGardenAddress?: string
}

export const defaultInstallation: Installation = {
  garden: {
    careSeconds: 60,
    conditionThresholds: {
      VirtualGardenAPIServerAvailable: 60,
      RuntimeComponentsHealthy: 60,
      VirtualComponentsHealthy: 60,
      ObservabilityComponentsHealthy: 60,
    },
    featureGates: [],
    namespaceSelectors: [],
  },
}
