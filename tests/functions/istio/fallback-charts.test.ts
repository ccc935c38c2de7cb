// The charts that stand in where no others are configured: they use what Istio's own charts use of Helm, and are rendered as helm
// renders them.
import { join } from 'node:path'
import t from 'tap'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import { areLikeHelm, istioDirectories, renderedHere } from '../../corpus/like-helm.ts'
import { matches } from '../../harness/matches.ts'

const root = join(import.meta.dirname, '../../../manifests/istio/charts')

const values: Readonly<Record<string, JsonMap>> = {
  nothing: {},
  everything: {
    global: {
      platform: 'gke',
      hub: 'registry.example.com/istio',
      tag: '1.30.2-distroless',
      imagePullSecrets: ['pull'],
      priorityClassName: 'istio-kyma-priority',
      logging: { level: 'all:warn' },
      proxy: { image: 'registry.example.com:5000/proxyv2:1.30.2', resources: { requests: { cpu: '10m' } } },
      proxy_init: { resources: { limits: { memory: '50Mi' } } },
    },
    pilot: {
      cni: { enabled: true },
      env: { PILOT_HTTP10: '1', KEY_SIZE: 4096 },
      image: 'registry.example.com/pilot:2',
    },
    cni: { ambient: { enabled: true }, excludeNamespaces: ['kube-system', 'a'] },
    meshConfig: {
      trustDomain: 'example.com',
      enablePrometheusMerge: false,
      defaultConfig: { holdApplicationUntilProxyStarts: true, proxyMetadata: { ISTIO_META_DNS_CAPTURE: 'true' } },
      extensionProviders: [{ name: 'a', envoyExtAuthzHttp: { service: 'a.b', port: 4317, timeout: '1.500s' } }],
    },
    gateways: {
      'istio-ingressgateway': { serviceAnnotations: { a: true }, ipFamilyPolicy: 'RequireDualStack' },
      'istio-egressgateway': { type: 'NodePort', autoscaleEnabled: false },
    },
    sidecarInjectorWebhook: { enableNamespacesByDefault: true },
    logLevel: 'debug',
  },
}

t.test('IS-33 charts whose last template replaces the values and reads files are rendered as by helm', t =>
  areLikeHelm(
    t,
    root,
    Object.entries(values).flatMap(([about, values]) =>
      istioDirectories.map(directory => ({ about, directory, values })),
    ),
  ),
)

t.test('the charts render the objects that people and programs know of Istio by name', async t => {
  const objects = istioDirectories.flatMap(directory => renderedHere(join(root, directory), {}, 'istio-system'))
  const named = (kind: string) => objects.filter(object => object.kind === kind).map(({ metadata }) => metadata.name)
  t.equal(named('CustomResourceDefinition').length, 15)
  t.strictSame(named('Deployment'), ['istiod', 'istio-ingressgateway', 'istio-egressgateway'])
  t.strictSame(named('DaemonSet'), ['istio-cni-node', 'ztunnel'])
  t.strictSame(named('ConfigMap'), ['istio', 'istio-sidecar-injector', 'istio-cni-config'])
  t.strictSame(named('MutatingWebhookConfiguration'), ['istio-sidecar-injector', 'istio-revision-tag-default'])
  t.strictSame(named('ValidatingWebhookConfiguration'), ['istio-validator-istio-system', 'istiod-default-validator'])
  t.strictSame(named('HorizontalPodAutoscaler'), ['istiod', 'istio-ingressgateway', 'istio-egressgateway'])
  t.strictSame(named('PodDisruptionBudget'), ['istiod', 'istio-ingressgateway', 'istio-egressgateway'])
  const mesh = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'istio')
  matches(t, mesh?.data, { mesh: /discoveryAddress: istiod\.istio-system\.svc:15012/ })
})
