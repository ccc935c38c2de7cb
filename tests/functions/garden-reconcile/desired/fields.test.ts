// Each field of a Garden's spec does something, or is on the list of those that do nothing: fields are watched while all that a Garden is
// made of is built.
import t from 'tap'
import { idlePaths } from '../../../../functions/garden-admission/rules/warnings.ts'
import { decide as policiesFor } from '../../../../functions/garden-network-policy/decide.ts'
import { decide } from '../../../../functions/garden-reconcile/decide.ts'
import { steps } from '../../../../functions/garden-reconcile/rules/steps.ts'
import { gardenReferences } from '../../../../shared/api/garden/references.ts'
import { gardenSpec } from '../../../../shared/api/garden/spec.ts'
import type { JsonSchema } from '../../../../shared/api/schema.ts'
import type { Garden } from '../../../../shared/core/objects/garden.ts'
import { fullGarden } from '../../../make/garden/garden.ts'
import { partsOf, worldOf } from '../../../make/garden/garden-parts.ts'
import { namespace } from '../../../make/objects/namespaces.ts'

const policy = 'auditConfig.auditPolicy.configMapRef'
const servers = ['kubernetes.kubeAPIServer', 'gardener.gardenerAPIServer'].map(one => `spec.virtualCluster.${one}`)
const ofReference = ['apiVersion', 'fieldPath', 'kind', 'namespace', 'resourceVersion', 'uid']

/** What nothing reads, though admission does not warn of it: docs/behaviour/garden.md, Fields that do nothing. */
const unread: readonly string[] = [
  ...['spec.runtimeCluster.ingress.domain', 'spec.virtualCluster.dns.domain'],
  ...['spec.runtimeCluster.ingress.domains.provider', 'spec.virtualCluster.dns.domains.provider'],
  'spec.virtualCluster.gardener.gardenerDiscoveryServer.domain.provider',
  ...['spec.runtimeCluster.ingress.controller.kind', 'spec.resources.name'],
  ...servers.flatMap(server => ofReference.map(field => `${server}.${policy}.${field}`)),
  'spec.virtualCluster.gardener.gardenerAPIServer.encryptionConfig.provider.type',
  'spec.virtualCluster.kubernetes.kubeAPIServer.oidcConfig.clientAuthentication',
]

/** The innermost fields that the schema names, but for those without effect: `spec.virtualCluster.networking.services`. */
const fieldsIn = (schema: JsonSchema, path: string): string[] => {
  if (idlePaths.includes(path)) return []
  const inner = Object.entries(schema.properties ?? schema.items?.properties ?? {})
  return inner.length > 0 ? inner.flatMap(([field, one]) => fieldsIn(one, `${path}.${field}`)) : [path]
}

/** The same value; every field that is read of it is noted. */
const watched = <Value>(value: Value, path: string, seen: Set<string>): Value =>
  typeof value === 'object' && value !== null
    ? new Proxy(value, {
        get: (of, field, receiver) => {
          const inner = Reflect.get(of, field, receiver)
          if (typeof field === 'symbol' || !Object.hasOwn(of, field)) return inner
          const at = Array.isArray(of) ? path : `${path}.${field}`
          seen.add(at)
          return watched(inner, at, seen)
        },
      })
    : value

/** Fields that are read of this Garden by what makes something of it. */
const readOf = (whole: Garden): Set<string> => {
  const seen = new Set<string>()
  const now = new Date('2026-03-01T12:00:00Z')
  const garden = { ...whole, spec: watched(whole.spec, 'spec', seen) }
  const world = worldOf(garden, { gates: ['DefaultSeccompProfile'], isUp: true, runtimeMinor: 34 })
  seen.clear()
  decide(world, now)
  partsOf(world)
  for (const { faults, waits } of steps) [faults?.(world), waits?.(world)]
  gardenReferences(garden)
  policiesFor({
    gardens: [garden],
    namespaces: [namespace('garden')],
    chosen: new Set(),
    policies: [],
    apiServer: [],
    shoots: new Map(),
  } as never)
  return seen
}

t.test('GA-368 each field of the spec is read, or is on the list of those that do nothing', async t => {
  const whole = fullGarden()
  const { domain: _, ...ingress } = whole.spec.runtimeCluster.ingress
  const { dns, ...virtualCluster } = whole.spec.virtualCluster
  const lifted = {
    ...whole,
    spec: {
      ...whole.spec,
      runtimeCluster: { ...whole.spec.runtimeCluster, ingress },
      virtualCluster: { ...virtualCluster, dns: { domains: dns.domains } },
    },
  } as Garden
  const seen = readOf(lifted)
  t.strictSame(
    fieldsIn(gardenSpec, 'spec')
      .filter(path => !seen.has(path))
      .sort(),
    [...unread].sort(),
  )
})
