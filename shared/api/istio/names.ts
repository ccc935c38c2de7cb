// Names that istio writes on objects, and by which it finds them. They are those of the Kyma Istio module, so that an installation
// of it can be taken over.

const prefix = 'istios.operator.kyma-project.io'

export const istioNames = {
  /** The keys of the engine's labels and annotations begin so. */
  prefix,
  finalizer: `${prefix}/istio-installation`,
  fieldManagers: {
    operator: 'istio-operator',
    /** Of restarts alone: no apply takes back what it wrote. */
    restart: 'istio-operator-restart',
  },
  /** The Istio that counts is in control. */
  namespaces: { control: 'kyma-system', mesh: 'istio-system' },
  labels: { module: 'kyma-project.io/module' },
  /** The value of the label module. */
  module: 'istio',
  annotations: {
    lastApplied: 'operator.kyma-project.io/lastAppliedConfiguration',
    disclaimer: `${prefix}/managed-by-disclaimer`,
    /** Fields of the status that the definition of the Kyma Istio module does not have. */
    status: `${prefix}/status`,
    restartedAt: 'istio-operator.kyma-project.io/restartedAt',
  },
  disclaimer:
    'DO NOT EDIT - This resource is managed by Kyma.\nAny modifications are discarded and the resource is reverted to the original state.',
} as const
