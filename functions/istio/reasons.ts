// Condition types, reasons and messages. Alerts and runbooks depend on them.
import { istioNames } from '../../shared/api/istio/names.ts'
import type { EventNote } from '../../shared/core/decisions/plan.ts'

type IstioConditionType = 'Ready' | 'ProxySidecarRestartSucceeded' | 'IngressTargetingUserResourceFound'

type Row = {
  readonly type: IstioConditionType
  readonly status: 'True' | 'False' | 'Unknown'
  readonly message: string
}

const ready = { type: 'Ready', status: 'False' } as const
const sidecars = { type: 'ProxySidecarRestartSucceeded', status: 'False' } as const
const targeting = 'IngressTargetingUserResourceFound'

/** The condition of each reason, and the message without detail. */
export const istioReasons = {
  ReconcileSucceeded: { ...ready, status: 'True', message: 'Reconciliation succeeded' },
  ReconcileUnknown: {
    ...ready,
    status: 'Unknown',
    message:
      'Module readiness is unknown. Either a reconciliation is progressing, or failed previously. Check status of other conditions',
  },
  ReconcileFailed: { ...ready, message: 'Reconciliation failed' },
  ReconcileRequeued: { ...ready, message: 'Proxy reset is still ongoing. Reconciliation requeued' },
  ValidationFailed: { ...ready, message: 'Reconciliation did not happen as Istio Custom Resource failed to validate' },
  OlderCRExists: {
    ...ready,
    message: 'This Istio custom resource is not the oldest one and does not represent the module state',
  },
  IstioInstallUninstallFailed: { ...ready, message: 'Istio install or uninstall failed' },
  IstioCustomResourceMisconfigured: { ...ready, message: 'Istio custom resource has invalid configuration' },
  IstioCustomResourcesDangling: {
    ...ready,
    message: 'Istio deletion blocked because of existing Istio custom resources',
  },
  IstioVersionUpdateNotAllowed: { ...ready, message: 'Update to the new Istio version is not allowed' },
  CustomResourcesReconcileFailed: { ...ready, message: 'Custom resources reconciliation failed' },
  IngressGatewayRestartFailed: { ...ready, message: 'Istio Ingress Gateway restart failed' },

  ProxySidecarRestartSucceeded: { ...sidecars, status: 'True', message: 'Proxy sidecar restart succeeded' },
  ProxySidecarRestartFailed: { ...sidecars, message: 'Proxy sidecar restart failed' },
  ProxySidecarRestartPartiallySucceeded: { ...sidecars, message: 'Proxy sidecar restart partially succeeded' },
  ProxySidecarManualRestartRequired: {
    ...sidecars,
    message: 'The sidecars of the following workloads could not be restarted',
  },

  IngressTargetingUserResourceFound: {
    type: targeting,
    status: 'True',
    message: 'Resource targeting Istio Ingress Gateway found',
  },
  IngressTargetingUserResourceDetectionFailed: {
    type: targeting,
    status: 'Unknown',
    message: 'Resource targeting Istio Ingress Gateway detection failed',
  },
  IngressTargetingUserResourceNotFound: {
    type: targeting,
    status: 'False',
    message: 'Resources targeting Istio Ingress Gateway not found',
  },
} as const satisfies Record<string, Row>

export type IstioReason = keyof typeof istioReasons

export type ReadyReason = {
  [Reason in IstioReason]: (typeof istioReasons)[Reason]['type'] extends 'Ready' ? Reason : never
}[IstioReason]

/** The description in the status of an Istio, for each situation. */
export const descriptions = {
  reconciling: 'Reconciling Istio',
  unlisted: (cause: string) => `Unable to list Istio CRs: ${cause}`,
  experimental: 'Experimental features are not supported in this image flavour: istio CR contains experimental feature',
  authorizerTwice: (name: string) => `Authorizer name needs to be unique: ${name} is duplicated`,
  regexp: (text: string, cause: string) =>
    `ProxyStatsMatcher inclusionRegexps contains an invalid regular expression: ${JSON.stringify(text)} is not a valid regexp: ${cause}`,
  elsewhere: `Stopped Istio CR reconciliation: istio CR is not in ${istioNames.namespaces.control} namespace`,
  notOldest: (oldest: string) =>
    `Stopped Istio CR reconciliation: only Istio CR ${oldest} in ${istioNames.namespaces.control} reconciles the module`,
  unreadableAnnotation: (cause: string) => `Istio install check failed: ${cause}`,
  unsaved: (cause: string) => `Could not write to the Istio CR: ${cause}`,
  versionRefused: (text: string) => `Istio version update is not allowed: ${text}`,
  resourcesFailed: (faults: readonly string[]) => `Could not reconcile Istio resource ${faults.join('; ')}`,
  changedAtOnce: 'another program, such as a webhook, changes it after every write',
  envoyFilterFound: (name: string) =>
    `misconfigured EnvoyFilter can potentially break Istio Ingress Gateway: user-created EnvoyFilter ${istioNames.namespaces.mesh}/${name} targeting Ingress Gateway found`,
  envoyFiltersUnread: (cause: string) => `Could not look for EnvoyFilters targeting Ingress Gateway: ${cause}`,
  deleting: 'Deleting Istio',
  otherFinalizers: (names: string) => `Deleting Istio: other finalizers are present: [${names}]`,
  dangling: `There are Istio resources that block deletion. Please take a look at ${istioNames.namespaces.control}/istio-controller-manager logs to see more information about the warning`,
  notInstalled: (cause: string) => `Could not install Istio: ${cause}`,
  notUninstalled: (cause: string) => `Could not uninstall istio: ${cause}`,
  podVersions: (found: string, wanted: string) =>
    `Verifying Pod versions in ${istioNames.namespaces.mesh} namespace failed: ${istioNames.namespaces.mesh} Pods version ${found} do not match istio operator version ${wanted}`,
  restarting: 'Restarting workloads to apply a change',
  gatewayFailed: (cause: string) => `Failed to restart Ingress Gateway: ${cause}`,
  controlPlaneFailed: (cause: string) => `Failed to restart the control plane: ${cause}`,
  sidecarsFailed: (cause: string) => `Error occurred during reconciliation of Istio Sidecars: ${cause}`,
  sidecarsStuck:
    'Some Pods with Istio sidecar injection failed to restart. To learn more about the warning, see kyma-system/istio-controller-manager logs: could not restart one or more Istio-injected Pods',
}

/** Causes of restarts. The keys are label values of a metric. */
const restartCauses = {
  image: 'its proxy has another image',
  resources: 'its proxy has other requests or limits',
  metrics: 'its metrics are now served elsewhere',
  cni: 'it was created before the CNI plugin of Istio was turned on or off',
  configuration: 'it was created before the configuration of Istio changed',
  removal: 'Istio was removed',
} as const

export type RestartCause = keyof typeof restartCauses

export const restarted = (cause: RestartCause): EventNote => ({
  type: 'Normal',
  reason: 'IstioSidecarRestarted',
  message: `Restarted, because ${restartCauses[cause]}`,
})
