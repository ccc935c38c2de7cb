// Names that Gardener's own components know, as of Gardener 1.153, the last to run with Kubernetes 1.32 to 1.36.

/** Feature gates; those that are stable have one value left. */
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

/** Admission plugins of gardener-apiserver, in the order in which they run. */
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

/** Groups whose resources gardener-apiserver serves: `<one of these>.gardener.cloud`. */
export const gardenerGroups: readonly string[] = [
  'authentication',
  'core',
  'operations',
  'security',
  'settings',
  'seedmanagement',
]

/**
 * APIs of kube-apiserver that a Gardener without workers cannot do without, as `--runtime-config` names them: those its own
 * validation keeps from being turned off, and those it knows no way to turn off.
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

/** What each API server encrypts whether it is asked to or not. */
export const alwaysEncrypted = {
  'kube-apiserver': ['secrets'],
  'gardener-apiserver': [
    'controllerdeployments.core.gardener.cloud',
    'controllerregistrations.core.gardener.cloud',
    'internalsecrets.core.gardener.cloud',
    'shootstates.core.gardener.cloud',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Of the core group, `secrets.` is another spelling of `secrets`. */
export const encryptedResource = (resource: string): string => resource.replace(/\.$/, '')

/** gardener-apiserver serves the resource, in the spelling without a dot at the end. */
export const isOfGardener = (resource: string): boolean =>
  gardenerGroups.some(group => resource.endsWith(`.${group}.gardener.cloud`))
