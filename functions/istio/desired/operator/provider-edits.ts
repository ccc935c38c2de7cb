// What each provider of clusters wants of Istio.
import type { Provider } from '../../rules/provider.ts'
import { addedAt, type Edit, setAt } from './edit.ts'

const onIngressService = (annotations: Readonly<Record<string, string>>): Edit =>
  addedAt('components.ingressGateways.0.k8s.serviceAnnotations', annotations)

/** Annotations for the load balancer controllers of AWS. */
const onAwsLoadBalancer = (settings: Readonly<Record<string, string>>): Edit =>
  onIngressService(
    Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [`service.beta.kubernetes.io/aws-load-balancer-${name}`, value]),
    ),
  )

const edits: Readonly<Record<Provider, readonly Edit[]>> = {
  gke: [
    setAt('values.cni.cniBinDir', '/home/kubernetes/bin'),
    setAt('values.cni.resourceQuotas.enabled', true),
    setAt('values.global.platform', 'gke'),
  ],
  k3d: [
    setAt('values.cni.cniBinDir', '/var/lib/rancher/k3s/data/cni'),
    setAt('values.cni.cniConfDir', '/var/lib/rancher/k3s/agent/etc/cni/net.d'),
  ],
  'aws-elb': [onAwsLoadBalancer({ 'proxy-protocol': '*', 'connection-idle-timeout': '4000' })],
  'aws-dual-stack': [
    onAwsLoadBalancer({
      type: 'external',
      scheme: 'internet-facing',
      'nlb-target-type': 'instance',
      'proxy-protocol': '*',
    }),
  ],
  'aws-nlb': [onAwsLoadBalancer({ type: 'nlb', scheme: 'internet-facing', 'nlb-target-type': 'instance' })],
  'openstack-garden': [onIngressService({ 'loadbalancer.openstack.org/proxy-protocol': 'v1' })],
  openstack: [],
}

export const providerEdits = (provider: Provider | undefined): readonly Edit[] =>
  provider === undefined ? [] : edits[provider]
