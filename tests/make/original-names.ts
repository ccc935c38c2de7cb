// Names that the Go operators write or read: reasons, types of conditions, metrics, labels, annotations, finalizers and field managers. As of
// lifecycle-manager 1.20.4 with runtime-watcher, the Kyma Istio module 1.30.0, Gardener 1.150 and component-operator-runtime.

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

export const originalNames = {
  /** Those of versions with a purge controller among them. */
  kyma: words(`
    AddFinalizerErr DeleteCertificateSetup DeleteManifests DeleteMetrics DeleteSkrKyma DeleteSkrKymaCrd DeleteSkrModuleReleaseMetaCrd
    DeleteSkrModuleTemplateCrd DeleteSkrWebhookResources DeletingMandatoryModuleManifestError DropKymaFinalizer EnsureManifestDeletion
    KymaDeletionStuck MetadataSynchronization MetricsError ModuleCRCreated PatchStatus RemoteInstallation ResourcesAvailable
    SetKcpKymaStateDeleting SetSkrKymaStateDeleting SettingMandatoryModuleTemplateFinalizerError StatusSynchronization UpdateSpecError
    UpdateStatusError WatcherFinalizerErr WatcherGatewayNotFound WatcherStatusUpdate
    CleanupError PurgeFinalizerRemovalError RemovingPurgeFinalizerFailed SettingPurgeFinalizerFailed
    lifecycle_mgr_fips_mode lifecycle_mgr_gateway_secret_server_cert_close_to_expiry lifecycle_mgr_kyma_state
    lifecycle_mgr_maintenance_window_config_read_success lifecycle_mgr_mandatory_module_state lifecycle_mgr_mandatory_modules
    lifecycle_mgr_module_state lifecycle_mgr_purgectrl_error lifecycle_mgr_purgectrl_requests_total lifecycle_mgr_purgectrl_time
    lifecycle_mgr_requeue_reason_total lifecycle_mgr_self_signed_cert_not_renew reconcile_duration_seconds
    watcher_admission_request_error_total watcher_admission_request_total watcher_failed_kcp_total watcher_fips_mode
    watcher_kcp_requests_total watcher_request_duration
    caAddedToBundleAt catalog-sync declarative.kyma-project.io/applier declarative.kyma-project.io/finalizer
    deprecated-operator.kyma-project.io/owned-by kyma-project.io/broker-plan-name kyma-project.io/global-account-id
    kyma-project.io/instance-id kyma-project.io/platform-region kyma-project.io/region kyma-project.io/runtime-id
    kyma-project.io/subaccount-id kyma-sync-context label-removal-finalizer lifecycle-manager operator.kyma-project.io/Kyma
    operator.kyma-project.io/beta operator.kyma-project.io/channel operator.kyma-project.io/controller-name operator.kyma-project.io/fqdn
    operator.kyma-project.io/internal operator.kyma-project.io/is-cluster-scoped operator.kyma-project.io/is-unmanaged
    operator.kyma-project.io/kyma-name operator.kyma-project.io/managed-by operator.kyma-project.io/managed-by-reconciler-disclaimer
    operator.kyma-project.io/mandatory-module operator.kyma-project.io/module-name operator.kyma-project.io/ocm-component-name
    operator.kyma-project.io/pod-restart-trigger operator.kyma-project.io/purge-finalizer operator.kyma-project.io/purpose
    operator.kyma-project.io/skip-reconciliation operator.kyma-project.io/sync operator.kyma-project.io/watched-by
    operator.kyma-project.io/watcher resource.kyma-project.io/finalizer skr-domain sync-oci-ref namespaces.warden.kyma-project.io/validate
  `),
  /** One of Gardener's, by which a Garden's istiod is known, among them. */
  istio: words(`
    CustomResourcesReconcileFailed IngressGatewayRestartFailed IngressTargetingUserResourceDetectionFailed IngressTargetingUserResourceFound
    IngressTargetingUserResourceNotFound IstioCustomResourceMisconfigured IstioCustomResourcesDangling IstioInstallUninstallFailed
    IstioVersionUpdateNotAllowed OlderCRExists ProxySidecarManualRestartRequired ProxySidecarRestartFailed
    ProxySidecarRestartPartiallySucceeded ProxySidecarRestartSucceeded ReconcileFailed ReconcileRequeued ReconcileSucceeded
    ReconcileUnknown ValidationFailed
    istio_compatibility_mode_enabled istio_dnsproxy_used istio_egress_gateway_used istio_ext_auth_path_prefix_configured_number_total
    istio_ext_auth_providers_total istio_ext_auth_timeout_configured_number_total istio_forward_client_cert_details_setting
    istio_network_policies_enabled istio_num_trusted_proxies_configured istio_prometheus_merge_enabled istio_trust_domain_configured
    istio-operator istio-operator.kyma-project.io/restartedAt istios.operator.kyma-project.io/istio-installation
    istios.operator.kyma-project.io/managed-by-disclaimer kyma-project.io/managed-by kyma-project.io/module
    namespaces.warden.kyma-project.io/validate operator.kyma-project.io/lastAppliedConfiguration
    resources.gardener.cloud/origin
  `),
  garden: words(`
    ApplyFailed ConditionCheckError DeploymentMissing DeploymentUnhealthy EtcdMissing EtcdUnhealthy HealthzRequestError HealthzRequestFailed
    HealthzRequestSucceeded MissingManagedResourceCondition ObservabilityComponentsHealthy ObservabilityComponentsRunning OutdatedStatus
    RuntimeComponentsHealthy RuntimeComponentsRunning VirtualComponentsHealthy VirtualComponentsRunning
    VirtualGardenAPIServerAvailable VirtualGardenAPIServerDown
    care.gardener.cloud/condition-type confirmation.gardener.cloud/deletion credentials.gardener.cloud/etcd-snapshotted
    credentials.gardener.cloud/key-name credentials.gardener.cloud/new-encryption-key-populated gardener.cloud/deletion-protected
    gardener.cloud/description gardener.cloud/operation gardener.cloud/operator gardener.cloud/reference-protection gardener.cloud/role
    gardener.cloud/timestamp gardener.cloud/update-restriction generic-token-kubeconfig.secret.gardener.cloud/name
    handler.exposureclass.gardener.cloud/name high-availability-config.resources.gardener.cloud/consider
    high-availability-config.resources.gardener.cloud/replicas high-availability-config.resources.gardener.cloud/skip
    high-availability-config.resources.gardener.cloud/type high-availability-config.resources.gardener.cloud/zones
    networking.gardener.cloud/access-target-apiserver networking.gardener.cloud/to-dns networking.gardener.cloud/to-private-networks
    networking.gardener.cloud/to-public-networks networking.gardener.cloud/to-runtime-apiserver
    networking.resources.gardener.cloud/from-all-garden-scrape-targets-allowed-ports
    networking.resources.gardener.cloud/from-all-webhook-targets-allowed-ports networking.resources.gardener.cloud/from-world-to-ports
    networking.resources.gardener.cloud/namespace-selectors networking.resources.gardener.cloud/to-all-webhook-targets
    remediation.webhook.shoot.gardener.cloud/exclude resources.gardener.cloud/class resources.gardener.cloud/garbage-collectable-reference
    resources.gardener.cloud/keep-object resources.gardener.cloud/origin resources.gardener.cloud/purpose
    serviceaccount.resources.gardener.cloud/name serviceaccount.resources.gardener.cloud/namespace
    serviceaccount.resources.gardener.cloud/token-expiration-duration serviceaccount.resources.gardener.cloud/token-renew-timestamp
    shoot.gardener.cloud/no-cleanup
  `),
  /** Keys begin with the name of the operator. */
  component: words(`
    Created Deleted DeleteError DeletionBlocked DeletionProcessing DeletionRetrying Error FirstSeen Processing Ready Restarting Retrying
    Suspended Timeout Updated UpdateError
    active_clients_total component_state created_clients_total dependents_total operations_total reconcile_errors_total reconcile_total
    requests_total unready_dependents_total
    <name>/adoption-policy <name>/apply-order <name>/delete-order <name>/delete-policy <name>/digest <name>/disable-events <name>/owner-id
    <name>/purge-order <name>/reapply-interval <name>/reconcile-policy <name>/status-hint <name>/update-policy
  `),
} as const
