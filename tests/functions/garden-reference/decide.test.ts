import t from 'tap'
import { decide } from '../../../functions/garden-reference/decide.ts'
import type { World } from '../../../functions/garden-reference/world.ts'
import type { Plan } from '../../../shared/core/decisions/plan.ts'
import { type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import { type Change, type Garden, garden, gardenWith, referenced } from '../../make/garden/garden.ts'

const ours = 'gardener.cloud/reference-protection'
const operator = 'gardener.cloud/operator'
const deletionTimestamp = '2026-01-01T00:00:00Z'
const isProtected = { finalizers: [ours] }

/** A plan in words. */
type Told = { steps: string[]; next: string; events?: string[]; status?: object }

const rest: Told = { steps: [], next: 'settled' }

const server = 'spec.virtualCluster.kubernetes.kubeAPIServer'
const gardener = 'spec.virtualCluster.gardener'
const backup = 'spec.virtualCluster.etcd.main.backup.secretRef.name'
const sni = `${server}.sni.secretName`

const resource = (i: number) => `spec.resources[${i}].resourceRef`

/** The field, the kind of what it names, and what must stand beside it. */
const paths: readonly [path: string, kind: 'Secret' | 'ConfigMap', beside?: Record<string, string>][] = [
  [`${server}.auditConfig.auditPolicy.configMapRef.name`, 'ConfigMap'],
  [`${server}.auditWebhook.kubeconfigSecretName`, 'Secret'],
  [`${server}.admissionPlugins[1].kubeconfigSecretName`, 'Secret'],
  [`${server}.authentication.webhook.kubeconfigSecretName`, 'Secret'],
  [sni, 'Secret'],
  [`${server}.structuredAuthentication.configMapName`, 'ConfigMap'],
  [`${server}.structuredAuthorization.configMapName`, 'ConfigMap'],
  [`${server}.structuredAuthorization.kubeconfigs[1].secretName`, 'Secret'],
  [`${gardener}.gardenerAPIServer.auditConfig.auditPolicy.configMapRef.name`, 'ConfigMap'],
  [`${gardener}.gardenerAPIServer.auditWebhook.kubeconfigSecretName`, 'Secret'],
  [`${gardener}.gardenerAPIServer.admissionPlugins[0].kubeconfigSecretName`, 'Secret'],
  [backup, 'Secret'],
  ['spec.dns.providers[1].secretRef.name', 'Secret'],
  [`${resource(0)}.name`, 'Secret', { [`${resource(0)}.apiVersion`]: 'v1', [`${resource(0)}.kind`]: 'Secret' }],
  [`${resource(1)}.name`, 'ConfigMap', { [`${resource(1)}.kind`]: 'ConfigMap' }],
  [`${gardener}.gardenerDashboard.oidcConfig.secretRef.name`, 'Secret'],
  [`${gardener}.gardenerDashboard.oidcConfig.certificateAuthoritySecretRef.name`, 'Secret'],
  [`${gardener}.gardenerDashboard.gitHub.secretRef.name`, 'Secret'],
  [`${gardener}.gardenerDashboard.frontendConfigMapRef.name`, 'ConfigMap'],
  [`${gardener}.gardenerDashboard.assetsConfigMapRef.name`, 'ConfigMap'],
  [`${gardener}.gardenerDashboard.tlsSecretName`, 'Secret'],
  [`${gardener}.gardenerDiscoveryServer.tlsSecretName`, 'Secret'],
]

t.test('GA-129 each field that names an object protects it, then the Garden', async t => {
  for (const [path, kind, beside] of paths)
    t.test(path, async t => {
      const before = referring({ [path]: 'x', ...beside })
      const object = referenced(kind, 'x')
      t.strictSame(told(plan(before, [object])), { steps: [`addFinalizer ${kind} garden/x`], next: 'settled' })
      const guarded = referenced(kind, 'x', isProtected)
      t.strictSame(told(plan(before, [guarded])), { steps: ['addFinalizer Garden garden'], next: 'settled' })
      t.strictSame(told(plan(protectedGarden(before), [guarded])), rest)
      const namesake = referenced(kind === 'Secret' ? 'ConfigMap' : 'Secret', 'x')
      t.strictSame(told(plan(before, [namesake])).steps, [], 'the same name of the other kind is another object')
    })
})

t.test('GA-129 what names nothing of ours protects nothing', async t => {
  const foreign = { Secret: 'apps/v1', Service: 'v1' }
  for (const [kind, apiVersion] of Object.entries(foreign)) {
    const ref = resource(0)
    const before = referring({ [`${ref}.name`]: 'x', [`${ref}.kind`]: kind, [`${ref}.apiVersion`]: apiVersion })
    t.strictSame(told(plan(before, [referenced('Secret', 'x'), referenced('ConfigMap', 'x')])), rest, kind)
  }
  t.strictSame(told(plan(referring({ [sni]: '' }), [])), rest, 'an empty name')
  t.strictSame(told(plan(garden(), [referenced('Secret', 'x')])), rest, 'no reference at all')
})

const cases: Record<string, { world: World; plan: Told }> = {
  'GA-129 of two objects one is protected: the Garden follows when both are': {
    world: world(referring({ [sni]: 'a', [backup]: 'b' }), [
      referenced('Secret', 'a', isProtected),
      referenced('Secret', 'b'),
    ]),
    plan: { steps: ['addFinalizer Secret garden/b'], next: 'settled' },
  },
  'GA-130 an object under two fields, one of them dropped, stays': {
    world: world(protectedGarden(referring({ [sni]: 'a' })), [referenced('Secret', 'a', isProtected)]),
    plan: { steps: [], next: 'settled' },
  },
  'GA-130 replaced: the new one is protected first': {
    world: world(protectedGarden(referring({ [sni]: 'new' })), [
      referenced('Secret', 'new'),
      referenced('Secret', 'old', isProtected),
    ]),
    plan: { steps: ['addFinalizer Secret garden/new'], next: 'settled' },
  },
  'GA-130 replaced: the Garden too is protected before the old one is freed': {
    world: world(referring({ [sni]: 'new' }), [
      referenced('Secret', 'new', isProtected),
      referenced('Secret', 'old', isProtected),
    ]),
    plan: { steps: ['addFinalizer Garden garden'], next: 'settled' },
  },
  'GA-130 replaced: then the old one is freed': {
    world: world(protectedGarden(referring({ [sni]: 'new' })), [
      referenced('Secret', 'new', isProtected),
      referenced('Secret', 'old', isProtected),
    ]),
    plan: { steps: ['removeFinalizer Secret garden/old'], next: 'settled' },
  },
  'GA-130 none left: the objects are freed': {
    world: world(protectedGarden(garden()), [
      referenced('Secret', 'a', isProtected),
      referenced('ConfigMap', 'b', isProtected),
    ]),
    plan: { steps: ['removeFinalizer Secret garden/a', 'removeFinalizer ConfigMap garden/b'], next: 'settled' },
  },
  'GA-130 none left: then the Garden': {
    world: world(protectedGarden(garden()), []),
    plan: { steps: ['removeFinalizer Garden garden'], next: 'settled' },
  },
  'GA-131 one missing: the others are protected': {
    world: world(referring({ [sni]: 'a', [backup]: 'gone' }), [referenced('Secret', 'a')]),
    plan: { steps: ['addFinalizer Secret garden/a'], next: 'settled' },
  },
  'GA-131 one missing: the Garden is protected for the others': {
    world: world(referring({ [sni]: 'a', [backup]: 'gone' }), [referenced('Secret', 'a', isProtected)]),
    plan: { steps: ['addFinalizer Garden garden'], next: 'settled' },
  },
  'GA-131 one missing: people are told, and it is looked for again in 30 s': {
    world: world(protectedGarden(referring({ [sni]: 'a', [backup]: 'gone' })), [
      referenced('Secret', 'a', isProtected),
    ]),
    plan: {
      steps: [],
      next: 'waiting 30 s for Secret garden/gone',
      events: [
        `Warning ReferencedObjectMissing Secret garden/gone, named in ${backup}, does not exist or is being deleted`,
      ],
    },
  },
  'GA-131 one missing under two fields: one Event names both': {
    world: world(referring({ [sni]: 'gone', [backup]: 'gone' }), []),
    plan: {
      steps: [],
      next: 'waiting 30 s for Secret garden/gone',
      events: [
        `Warning ReferencedObjectMissing Secret garden/gone, named in ${sni}, ${backup}, does not exist or is being deleted`,
      ],
    },
  },
  'GA-131 one that goes and takes no finalizer any more is as good as missing': {
    world: world(referring({ [sni]: 'a' }), [
      referenced('Secret', 'a', { deletionTimestamp, finalizers: ['foreign'] }),
    ]),
    plan: {
      steps: [],
      next: 'waiting 30 s for Secret garden/a',
      events: [`Warning ReferencedObjectMissing Secret garden/a, named in ${sni}, does not exist or is being deleted`],
    },
  },
  'GA-132 a protected object in deletion stays': {
    world: world(protectedGarden(referring({ [sni]: 'a' })), [
      referenced('Secret', 'a', { deletionTimestamp, ...isProtected }),
    ]),
    plan: { steps: [], next: 'settled' },
  },
  'GA-132 in deletion, it goes when nothing refers to it any more': {
    world: world(protectedGarden(garden()), [referenced('Secret', 'a', { deletionTimestamp, ...isProtected })]),
    plan: { steps: ['removeFinalizer Secret garden/a'], next: 'settled' },
  },
  'GA-132 protection that somebody took off is put back': {
    world: world(protectedGarden(referring({ [sni]: 'a' })), [referenced('Secret', 'a')]),
    plan: { steps: ['addFinalizer Secret garden/a'], next: 'settled' },
  },
  'GA-133 Garden in deletion, other finalizer left: all protection stays': {
    world: world(referring({ [sni]: 'a' }, { deletionTimestamp, finalizers: [operator, ours] }), [
      referenced('Secret', 'a', isProtected),
    ]),
    plan: { steps: [], next: `waiting 10 s for finalizers of others: ${operator}` },
  },
  'GA-133 Garden in deletion, other finalizer left: a new reference is protected too': {
    world: world(referring({ [sni]: 'a' }, { deletionTimestamp, finalizers: [operator, ours] }), [
      referenced('Secret', 'a'),
    ]),
    plan: { steps: ['addFinalizer Secret garden/a'], next: 'settled' },
  },
  'GA-134 Garden in deletion, only ours left: the objects are freed': {
    world: world(referring({ [sni]: 'a' }, { deletionTimestamp, finalizers: [ours] }), [
      referenced('Secret', 'a', isProtected),
      referenced('ConfigMap', 'b', isProtected),
    ]),
    plan: { steps: ['removeFinalizer Secret garden/a', 'removeFinalizer ConfigMap garden/b'], next: 'settled' },
  },
  'GA-134 Garden in deletion, only ours left: then the Garden': {
    world: world(referring({ [sni]: 'a' }, { deletionTimestamp, finalizers: [ours] }), [referenced('Secret', 'a')]),
    plan: { steps: ['removeFinalizer Garden garden'], next: 'settled' },
  },
  'GA-134 Garden in deletion that was never protected: nobody would free its objects later': {
    world: world(referring({ [sni]: 'a' }, { deletionTimestamp, finalizers: [operator] }), [
      referenced('Secret', 'a', isProtected),
    ]),
    plan: { steps: ['removeFinalizer Secret garden/a'], next: 'settled' },
  },
  'GA-130 what another Garden needs is not freed': {
    world: world(protectedGarden(garden()), [referenced('Secret', 'a', isProtected)], [referring({ [sni]: 'a' })]),
    plan: { steps: ['removeFinalizer Garden garden'], next: 'settled' },
  },
  'GA-134 what another Garden needs is not freed': {
    world: world(
      referring({ [sni]: 'a' }, { deletionTimestamp, finalizers: [ours] }),
      [referenced('Secret', 'a', isProtected)],
      [protectedGarden(referring({ [backup]: 'a' }))],
    ),
    plan: { steps: ['removeFinalizer Garden garden'], next: 'settled' },
  },
}

for (const [sentence, { world, plan: expected }] of Object.entries(cases))
  t.test(sentence, async t => t.strictSame(told(decide(world)), expected))

function told({ steps, events, next, status }: Plan): Told {
  return {
    steps: steps.map(step => ('target' in step ? `${step.do} ${text(step.target)}` : step.do)),
    next: next.is === 'waiting' ? `waiting ${next.seconds} s for ${next.for}` : next.is,
    ...(events.length > 0 && { events: events.map(({ type, reason, message }) => `${type} ${reason} ${message}`) }),
    ...(Object.keys(status).length > 0 && { status }),
  }
}

function text(object: KubeObject): string {
  return refText(refOf(object))
}

function world(subject: Garden, objects: readonly KubeObject[], others: readonly Garden[] = []): World {
  return { garden: subject, objects, gardens: [subject, ...others] }
}

function plan(subject: Garden, objects: readonly KubeObject[]): Plan {
  return decide(world(subject, objects))
}

/** A Garden with these names in these fields. */
function referring(fields: Record<string, string>, metadata: Change<Garden['metadata']> = {}): Garden {
  return gardenWith(fields, garden({ metadata }))
}

function protectedGarden(subject: Garden): Garden {
  return { ...subject, metadata: { ...subject.metadata, finalizers: [ours] } }
}
