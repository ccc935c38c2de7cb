// The steps of the bring-up by name, in their order.

const stepNames = [
  ...[
    'namespace',
    'crds',
    'authorities',
    'generic-kubeconfig',
    'resource-manager',
    'runtime-components',
    'nginx-ingress',
    'istio',
    'logging',
  ],
  ...['runtime-system', 'etcds', 'apiserver-service', 'apiserver-sni', 'apiserver', 'controller-manager'],
  ...['virtual-resource-manager', 'access', 'virtual-system', 'gardener-apiserver', 'gardener-control-plane'],
  ...['observability', 'seed-authorizer', 'rotation'],
] as const

export type StepName = (typeof stepNames)[number]
