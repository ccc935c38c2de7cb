// Istio's charts: the component of the IstioOperator that each installs, and the wave in which its objects are applied.
import type { PatchTarget } from './object-patches.ts'

export type ChartRow = {
  readonly directory: string
  readonly order: number
  /** The field of `spec.components`. Two charts may install the same component. */
  readonly component: string
  /** Whether the component is enabled where the IstioOperator does not say so. */
  readonly isUsuallyOn: boolean
  /** Path of the chart's own section in the values. A gateway's name and labels belong there, too. */
  readonly root: readonly string[]
  /** The workload that the component's `k8s` settings change. */
  readonly patched?: PatchTarget
  readonly isGateway?: true
  /** The component's `k8s` settings are for the other chart of the component. */
  readonly hasNoSettings?: true
  /** The chart expects the values of its section at the top, beside `global`. */
  readonly isLifted?: true
}

/** Wave by wave: the next begins when all Pods of the one before are ready. */
export const chartRows: readonly ChartRow[] = [
  { directory: 'base', order: 0, component: 'base', isUsuallyOn: true, root: ['global'] },
  {
    directory: 'istio-control/istio-discovery',
    order: 0,
    component: 'pilot',
    isUsuallyOn: true,
    root: ['pilot'],
    patched: { kind: 'Deployment', name: 'istiod', container: 'discovery' },
  },
  {
    directory: 'istio-cni',
    order: 0,
    component: 'cni',
    isUsuallyOn: false,
    root: ['cni'],
    patched: { kind: 'DaemonSet', name: 'istio-cni-node', container: 'install-cni' },
  },
  {
    directory: 'gateways/istio-ingress',
    order: 10,
    component: 'ingressGateways',
    isUsuallyOn: true,
    isGateway: true,
    root: ['gateways', 'istio-ingressgateway'],
    patched: { kind: 'Deployment', name: 'istio-ingressgateway', container: 'istio-proxy' },
  },
  {
    directory: 'gateways/istio-egress',
    order: 10,
    component: 'egressGateways',
    isUsuallyOn: false,
    isGateway: true,
    root: ['gateways', 'istio-egressgateway'],
    patched: { kind: 'Deployment', name: 'istio-egressgateway', container: 'istio-proxy' },
  },
  {
    directory: 'ztunnel',
    order: 10,
    component: 'ztunnel',
    isUsuallyOn: false,
    root: ['ztunnel'],
    isLifted: true,
    patched: { kind: 'DaemonSet', name: 'ztunnel', container: 'istio-proxy' },
  },
  { directory: 'default', order: 10, component: 'pilot', isUsuallyOn: true, root: [], hasNoSettings: true },
]
