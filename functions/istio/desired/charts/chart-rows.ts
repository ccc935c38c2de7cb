// Istio's charts, the components of the IstioOperator that they are for, and in which wave their objects come.
import type { PatchTarget } from './object-patches.ts'

export type ChartRow = {
  readonly directory: string
  readonly order: number
  /** Below `spec.components`. Two charts may be for one. */
  readonly component: string
  /** What is so where the component does not say whether it is enabled. */
  readonly isUsuallyOn: boolean
  /** Where among the values the chart's own are; of a gateway its name and labels stand there, too. */
  readonly root: readonly string[]
  /** What its k8s settings change. */
  readonly patched?: PatchTarget
  readonly isGateway?: true
  /** The settings of the component are for its other chart. */
  readonly hasNoSettings?: true
  /** The chart wants its own values beside the global ones. */
  readonly isLifted?: true
}

/** Wave by wave: the next begins when all Pods of the one before are ready. */
export const chartRows: readonly ChartRow[] = [
  { directory: 'base', order: 0, component: 'base', isUsuallyOn: true, root: ['global'] },
  {
    ...{
      directory: 'istio-control/istio-discovery',
      order: 0,
      component: 'pilot',
      isUsuallyOn: true,
      root: ['pilot'],
    },
    patched: { kind: 'Deployment', name: 'istiod', container: 'discovery' },
  },
  {
    ...{ directory: 'istio-cni', order: 0, component: 'cni', isUsuallyOn: false, root: ['cni'] },
    patched: { kind: 'DaemonSet', name: 'istio-cni-node', container: 'install-cni' },
  },
  {
    ...{ directory: 'gateways/istio-ingress', order: 10, component: 'ingressGateways', isUsuallyOn: true },
    ...{ isGateway: true, root: ['gateways', 'istio-ingressgateway'] },
    patched: { kind: 'Deployment', name: 'istio-ingressgateway', container: 'istio-proxy' },
  },
  {
    ...{ directory: 'gateways/istio-egress', order: 10, component: 'egressGateways', isUsuallyOn: false },
    ...{ isGateway: true, root: ['gateways', 'istio-egressgateway'] },
    patched: { kind: 'Deployment', name: 'istio-egressgateway', container: 'istio-proxy' },
  },
  {
    ...{ directory: 'ztunnel', order: 10, component: 'ztunnel', isUsuallyOn: false, root: ['ztunnel'], isLifted: true },
    patched: { kind: 'DaemonSet', name: 'ztunnel', container: 'istio-proxy' },
  },
  { directory: 'default', order: 10, component: 'pilot', isUsuallyOn: true, root: [], hasNoSettings: true },
]
