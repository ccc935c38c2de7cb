// Names that Kyma's functions write on objects and use to find objects: the names of the Go operator, to take over its installations.

const named = (name: string): string => `operator.kyma-project.io/${name}`

export const kymaNames = {
  labels: {
    kymaName: named('kyma-name'),
    moduleName: named('module-name'),
    controllerName: named('controller-name'),
    channel: named('channel'),
    mandatoryModule: named('mandatory-module'),
    managedBy: named('managed-by'),
    watchedBy: named('watched-by'),
    skipReconciliation: named('skip-reconciliation'),
    sync: named('sync'),
    internal: named('internal'),
    beta: named('beta'),
    signature: named('signature'),
    purpose: named('purpose'),
    podRestartTrigger: named('pod-restart-trigger'),
    runtimeId: 'kyma-project.io/runtime-id',
    instanceId: 'kyma-project.io/instance-id',
    globalAccountId: 'kyma-project.io/global-account-id',
    subaccountId: 'kyma-project.io/subaccount-id',
    region: 'kyma-project.io/region',
    platformRegion: 'kyma-project.io/platform-region',
    brokerPlanName: 'kyma-project.io/broker-plan-name',
  },

  /** Values of label managed-by. */
  managedBy: { controlPlane: 'lifecycle-manager', runtime: 'kyma' },

  annotations: {
    fqdn: named('fqdn'),
    ocmComponentName: named('ocm-component-name'),
    isUnmanaged: named('is-unmanaged'),
    isClusterScoped: named('is-cluster-scoped'),
    disclaimer: named('managed-by-reconciler-disclaimer'),
    releasedBy: named('released-by'),
    ownedBy: 'deprecated-operator.kyma-project.io/owned-by',
    syncOciRef: 'sync-oci-ref',
    skrDomain: 'skr-domain',
    caAddedToBundleAt: 'caAddedToBundleAt',
  },

  finalizers: {
    kyma: named('Kyma'),
    purge: named('purge-finalizer'),
    mandatoryModule: named('mandatory-module'),
    watcher: named('watcher'),
    manifest: 'declarative.kyma-project.io/finalizer',
    labelRemoval: 'label-removal-finalizer',
    defaultResource: 'resource.kyma-project.io/finalizer',
  },

  fieldManagers: {
    controlPlane: 'lifecycle-manager',
    catalogue: 'catalog-sync',
    runtime: 'kyma-sync-context',
    moduleObjects: 'declarative.kyma-project.io/applier',
    defaultResource: 'resource.kyma-project.io/finalizer',
  },

  /** Additional field managers of the Go operator in runtimes. We take over their fields, so that no former field remains. */
  formerFieldManagers: ['lifecycle-manager'],

  /** Functions only use these namespaces. */
  namespaces: { controlPlane: 'kcp-system', runtime: 'kyma-system', certificates: 'istio-system' },

  /** Name of each Kyma's copy in its runtime. */
  copyName: 'default',

  /** Value of label watched-by. */
  watchedBy: 'kyma',
} as const
