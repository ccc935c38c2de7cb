// Names that Gardener's components know, as of Gardener 1.153, the last version for Kubernetes 1.32 to 1.36.

/** Feature gates. Stable gates are locked to one value. */
export const gardenerGates: ReadonlyMap<string, { readonly lockedTo?: boolean }> = new Map<
  string,
  { lockedTo?: boolean }
>([
  ['BackupEntryForGarden', { lockedTo: true }],
  ['CloudProfileCapabilities', {}],
  ['CustomDNSServerInNodeLocalDNS', { lockedTo: true }],
  ['DefaultSeccompProfile', {}],
  ['DisableNginxIngressInGarden', {}],
  ['DisableNginxIngressInSeed', {}],
  ['DisableNginxIngressInShoot', {}],
  ['DoNotCopyBackupCredentials', { lockedTo: true }],
  ['InPlaceNodeUpdates', {}],
  ['IstioTLSTermination', {}],
  ['LiveControlPlaneMigration', {}],
  ['MutableShootDomains', {}],
  ['OpenTelemetryCollector', {}],
  ['PrometheusHealthChecks', {}],
  ['RemoveHTTPProxyLegacyPort', {}],
  ['RemoveVali', {}],
  ['StrictAuditPolicyValidation', {}],
  ['VPNBondingModeRoundRobin', {}],
  ['VersionClassificationLifecycle', {}],
  ['VictoriaLogsBackend', {}],
])

/** Admission plugins of gardener-apiserver, in execution order. */
export const gardenerPlugins: readonly string[] = [
  'NamespaceLifecycle',
  'ResourceReferenceManager',
  'ExtensionValidator',
  'ExtensionLabels',
  'ShootTolerationRestriction',
  'ShootExposureClass',
  'ShootDNS',
  'ShootManagedSeed',
  'ShootNodeLocalDNSEnabledByDefault',
  'ShootDNSRewriting',
  'ShootQuotaValidator',
  'ShootMutator',
  'ShootValidator',
  'SeedValidator',
  'SeedMutator',
  'ControllerRegistrationResources',
  'NamespacedCloudProfileValidator',
  'ProjectMutator',
  'DeletionConfirmation',
  'FinalizerRemoval',
  'CustomVerbAuthorizer',
  'ShootVPAEnabledByDefault',
  'ShootResourceReservation',
  'ManagedSeed',
  'ManagedSeedShoot',
  'Bastion',
  'BackupBucketValidator',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
  'ResourceQuota',
]

/** gardener-apiserver serves `<group>.gardener.cloud` for these groups. */
export const gardenerGroups: readonly string[] = [
  'authentication',
  'core',
  'operations',
  'security',
  'settings',
  'seedmanagement',
]

/**
 * APIs of kube-apiserver that a Gardener without workers needs, in the form of `--runtime-config`: APIs that Gardener's validation
 * protects, and APIs that Gardener cannot turn off.
 */
export const gardenerNeededAPIs: readonly string[] = [
  'v1',
  'apiextensions.k8s.io/v1',
  'apiregistration.k8s.io/v1',
  'authentication.k8s.io/v1',
  'authorization.k8s.io/v1',
  'discovery.k8s.io/v1/endpointslices',
  'events.k8s.io/v1/events',
  'networking.k8s.io/v1',
  'rbac.authorization.k8s.io/v1',
]

/** Resources that each API server always encrypts. */
export const alwaysEncrypted = {
  'kube-apiserver': ['secrets'],
  'gardener-apiserver': [
    'controllerdeployments.core.gardener.cloud',
    'controllerregistrations.core.gardener.cloud',
    'internalsecrets.core.gardener.cloud',
    'shootstates.core.gardener.cloud',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** `secrets.` is another spelling of `secrets`, for the core group. */
export const encryptedResource = (resource: string): string => resource.replace(/\.$/, '')

/** Whether gardener-apiserver serves the resource. `resource` must not end with a dot. */
export const isOfGardener = (resource: string): boolean =>
  gardenerGroups.some(group => resource.endsWith(`.${group}.gardener.cloud`))
