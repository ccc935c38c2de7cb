// What garden-reconcile brings to the runtime cluster before there is a virtual garden.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { steps } from '../../../functions/garden-reconcile/rules/steps.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import type { KubeObject } from '../../../shared/core/object.ts'
import { garden } from '../../make/garden.ts'
import { gardenWorld } from '../../make/garden-world.ts'

const step = (name: string) => {
  const found = steps.find(row => row.name === name)
  if (found === undefined) throw new TypeError(`no step ${name}`)
  return found
}

const objectsOf = (name: string, world: World): readonly KubeObject[] => step(name).objects(world)

const golden = (variant: string): KubeObject[] =>
  parse(readFileSync(join(import.meta.dirname, 'golden', 'runtime', `${variant}.yaml`), 'utf8'))

const inRuntime = (...objects: readonly KubeObject[]): World['runtime'] =>
  new Map(
    Object.entries(Object.groupBy(objects, ({ apiVersion, kind }) => `${apiVersion} ${kind}`)) as [
      string,
      KubeObject[],
    ][],
  )

const zoned = (zones?: readonly string[], controlPlane?: { highAvailability: object }) =>
  gardenWorld({
    garden: garden({
      spec: {
        runtimeCluster: { provider: { ...(zones && { zones: [...zones] }) } },
        virtualCluster: { ...(controlPlane && { controlPlane }) },
      },
    }),
  })

t.test('zones of the namespace are what replicas are spread over', async t => {
  const annotations = (zones?: string[]) => objectsOf('namespace', zoned(zones))[0]?.metadata.annotations
  t.strictSame(annotations(), undefined)
  const key = 'high-availability-config.resources.gardener.cloud/zones'
  t.strictSame(annotations(['a']), { [key]: 'a' })
  t.strictSame(annotations(['a', 'b']), { [key]: 'a,b' })
  t.strictSame(objectsOf('namespace', zoned(['a', 'b'])), golden('namespace'))
})

const gateway = (ingress: readonly object[]): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'Service' },
  metadata: { name: 'istio-ingressgateway', namespace: 'virtual-garden-istio-ingress' },
  status: { loadBalancer: { ingress } },
})

t.test('GA-78 the Service of the API server waits for an address of the gateway', async t => {
  const waits = (world: World) => step('apiserver-service').waits?.(world)
  const named = ['Service virtual-garden-istio-ingress/istio-ingressgateway: has no address yet']
  t.strictSame(waits(gardenWorld()), named)
  t.strictSame(waits(gardenWorld({ runtime: inRuntime(gateway([])) })), named)
  t.strictSame(waits(gardenWorld({ runtime: inRuntime(gateway([{ ip: '198.51.100.7' }])) })), [])
  t.strictSame(waits(gardenWorld({ runtime: inRuntime(gateway([{ hostname: 'lb.example' }])) })), [])
  t.strictSame(objectsOf('apiserver-service', gardenWorld()), golden('apiserver-service'))
})

const nameOf = ({ metadata }: KubeObject): string => metadata.name

t.test('the CRDs that a Garden brings, by what is switched on', async t => {
  const crds = (world: World) => objectsOf('crds', world).map(nameOf)
  const all = crds(gardenWorld())
  t.equal(all.length, 27)
  t.notOk(all.includes('hvpas.autoscaling.k8s.io'))
  const spec = { runtimeCluster: { settings: { verticalPodAutoscaler: { enabled: false } } } }
  t.notOk(crds(gardenWorld({ garden: garden({ spec }) })).some(name => name.startsWith('vertical')))
  const { settings } = gardenWorld()
  t.ok(crds(gardenWorld({ settings: { ...settings, featureGates: ['HVPA'] } })).includes('hvpas.autoscaling.k8s.io'))
  const istiod = {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
    metadata: { name: 'istiod', namespace: 'istio-system' },
  }
  t.notOk(crds(gardenWorld({ runtime: inRuntime(istiod) })).some(name => name.endsWith('istio.io')))
})
