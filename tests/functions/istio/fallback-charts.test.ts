// The charts that stand in where no others are configured: they use what Istio's own charts use of Helm, and are rendered as helm
// renders them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { isMap, type JsonMap } from '../../../shared/core/json.ts'
import type { KubeObject } from '../../../shared/core/object.ts'
import { template } from '../../../shared/render/helm/template.ts'
import { type ChartCase, filesIn } from '../../corpus/chart-cases.ts'
import { helmRenderings, release } from '../../corpus/helm-oracle.ts'
import { matches } from '../../harness/matches.ts'
import { renderContext } from '../../make/render-context.ts'

const root = join(import.meta.dirname, '../../../manifests/istio/charts')

const directories = [
  ...['base', 'istio-control/istio-discovery', 'istio-cni'],
  ...['gateways/istio-ingress', 'gateways/istio-egress', 'ztunnel', 'default'],
]

const values: Readonly<Record<string, JsonMap>> = {
  nothing: {},
  everything: {
    global: {
      ...{ platform: 'gke', hub: 'registry.example.com/istio', tag: '1.30.2-distroless', imagePullSecrets: ['pull'] },
      ...{ priorityClassName: 'istio-kyma-priority', logging: { level: 'all:warn' } },
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
      ...{ trustDomain: 'example.com', enablePrometheusMerge: false },
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

const cluster = { version: 'v1.36.3', apiVersions: [] }

type Case = ChartCase & { readonly parameters: JsonMap }

const casesIn = (t: Test): readonly Case[] => {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-values-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  return Object.entries(values).flatMap(([about, parameters]) => {
    const file = join(folder, `${about}.json`)
    writeFileSync(file, JSON.stringify(parameters))
    return directories.map(directory => ({
      ...{ name: `${directory} with ${about}`, chart: join(root, directory), values: file, cluster, parameters },
    }))
  })
}

const rendered = (chart: string, parameters: JsonMap, namespace: string): readonly KubeObject[] => {
  const rendering = template(filesIn(chart))(renderContext({ cluster, namespace }), parameters)
  if ('needs' in rendering) throw new Error(`${chart} looks something up`)
  return rendering.objects
}

const comparable = (objects: readonly unknown[]): string[] =>
  objects.map(object => JSON.stringify(sorted(object))).sort()

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isMap(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map(key => [key, sorted(value[key])]),
  )
}

t.test('IS-33 charts whose last template replaces the values and reads files are rendered as by helm', async t => {
  const cases = casesIn(t)
  const expected = await helmRenderings(cases)
  for (const [index, one] of cases.entries()) {
    const theirs = expected[index]
    if (theirs === undefined || 'error' in theirs) throw new Error(`${one.name}: helm says ${theirs?.error}`)
    const ours = rendered(one.chart, one.parameters, release.namespace)
    t.ok(ours.length > 1, `${one.name}: there are objects`)
    t.strictSame(comparable(ours), comparable(theirs.objects), one.name)
  }
})

t.test('the set holds what people and programs know of Istio by name', async t => {
  const objects = directories.flatMap(directory => rendered(join(root, directory), {}, 'istio-system'))
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
