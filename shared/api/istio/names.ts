// Names that istio writes on objects and uses to find objects: the names of the Kyma Istio module, to take over its installations.

const prefix = 'istios.operator.kyma-project.io'

export const istioNames = {
  /** Prefix of the engine's labels and annotations. */
  prefix,
  finalizer: `${prefix}/istio-installation`,
  fieldManagers: {
    operator: 'istio-operator',
    /** A separate field manager for restarts, so that no apply reverts them. */
    restart: 'istio-operator-restart',
  },
  /** Only an Istio in namespace `control` is handled. */
  namespaces: { control: 'kyma-system', mesh: 'istio-system' },
  labels: { module: 'kyma-project.io/module' },
  /** Value of label `module`. */
  module: 'istio',
  annotations: {
    lastApplied: 'operator.kyma-project.io/lastAppliedConfiguration',
    disclaimer: `${prefix}/managed-by-disclaimer`,
    /** Status fields that the definition of the Kyma Istio module lacks. */
    status: `${prefix}/status`,
    restartedAt: 'istio-operator.kyma-project.io/restartedAt',
  },
  disclaimer:
    'DO NOT EDIT - This resource is managed by Kyma.\nAny modifications are discarded and the resource is reverted to the original state.',
} as const
