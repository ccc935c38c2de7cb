// Gardens that refer to Secrets and ConfigMaps: named, missing, exchanged, deleted by people, let go in the end.
import {
  type GardenFields,
  gardenKind,
  gardenNamespace,
  referenceProtectionFinalizer,
} from '../../../shared/api/garden.ts'
import { hasFinalizer, isDeleting, type KubeObject, type ObjectRef } from '../../../shared/core/objects/object.ts'
import { canary } from '../../../shared/main/own/trial.ts'
import { garden, referenced } from '../../make/garden/garden.ts'
import type { Scenario, Stage } from '../scenario.ts'

const finalizerOfOthers = 'gardener.cloud/operator'

const theGarden: ObjectRef = { ...gardenKind, namespace: '', name: 'faulty-garden' }
const ref = (kind: string, name: string): ObjectRef => ({ apiVersion: 'v1', kind, namespace: gardenNamespace, name })

const secret = (name: string): KubeObject => ({
  ...referenced('Secret', name),
  data: { password: Buffer.from(canary).toString('base64') },
})

const configMap = (name: string): KubeObject => ({ ...referenced('ConfigMap', name), data: { policy: 'none' } })

type Names = { dns: readonly string[]; webhook: string | null; policy: string | null }

/** Null takes a reference away, as a merge patch does. */
const referringTo = ({ dns, webhook, policy }: Names) => ({
  dns: dns.length === 0 ? null : { providers: dns.map(name => ({ name, type: 'test', secretRef: { name } })) },
  virtualCluster: {
    kubernetes: {
      kubeAPIServer: {
        auditWebhook: webhook === null ? null : { kubeconfigSecretName: webhook },
        auditConfig: policy === null ? null : { auditPolicy: { configMapRef: { name: policy } } },
      },
    },
  },
})

const newGarden = (names: Names): KubeObject =>
  garden({
    metadata: { name: theGarden.name, finalizers: [finalizerOfOthers] },
    spec: referringTo(names) as Partial<GardenFields['spec']>,
  })

const refer =
  (names: Names): Stage['change'] =>
  people =>
    people.change(theGarden, { spec: referringTo(names) })

/** Exactly these objects carry our finalizer, and those in deletion are exactly these. */
const protectedAre =
  (names: readonly string[], deleting: readonly string[] = []): Stage['faults'] =>
  objects => [
    ...differences('protected', names, objects.filter(isProtected)),
    ...differences('in deletion', deleting, objects.filter(isDeleting)),
  ]

const isProtected = (object: KubeObject): boolean => hasFinalizer(object, referenceProtectionFinalizer)

const differences = (word: string, wanted: readonly string[], objects: readonly KubeObject[]): string[] => {
  const found = objects.map(object => object.metadata.name).sort()
  return found.join() === [...wanted].sort().join()
    ? []
    : [`${word}: ${found.join(', ')}; wanted: ${wanted.join(', ')}`]
}

const goneExcept =
  (names: readonly string[]): Stage['faults'] =>
  objects => [...differences('left', names, objects), ...protectedAre([])(objects)]

const world = {
  rivalry: { status: (n: number) => ({ gardener: { id: 'rival', name: `rival-${n}`, version: `1.${n}.0` } }) },
  key: { namespace: '', name: theGarden.name },
  dependent: ref('Secret', 'a'),
  crds: ['operator.gardener.cloud_gardens.yaml'],
  namespaces: [gardenNamespace],
  observes: [
    { ...gardenKind },
    { apiVersion: 'v1', kind: 'Secret', namespace: gardenNamespace },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: gardenNamespace,
      fieldSelector: 'metadata.name!=kube-root-ca.crt',
    },
  ],
}

export const scenarios: readonly Scenario[] = [
  {
    ...world,
    title: 'references come, are exchanged and go',
    stages: [
      {
        title: 'a Garden refers to three objects, one of them missing, beside one that is none of its business',
        change: async people => {
          await Promise.all([secret('a'), secret('foreign'), configMap('policy')].map(people.create))
          await people.create(newGarden({ dns: ['a'], webhook: 'late', policy: 'policy' }))
        },
        faults: protectedAre(['a', 'policy', theGarden.name]),
      },
      {
        title: 'the missing one appears',
        change: people => people.create(secret('late')),
        faults: protectedAre(['a', 'policy', 'late', theGarden.name]),
      },
      {
        title: 'one is exchanged for two others',
        change: async people => {
          await Promise.all([secret('b'), secret('c')].map(people.create))
          await refer({ dns: ['b', 'c'], webhook: 'late', policy: 'policy' })(people)
        },
        faults: protectedAre(['b', 'c', 'policy', 'late', theGarden.name]),
      },
      {
        title: 'a person deletes two that are protected',
        change: async people => {
          await people.delete(ref('Secret', 'b'))
          await people.delete(ref('ConfigMap', 'policy'))
        },
        faults: protectedAre(['b', 'c', 'policy', 'late', theGarden.name], ['b', 'policy']),
      },
      {
        title: 'the Garden is deleted while somebody else still takes it down',
        change: people => people.delete(theGarden),
        faults: protectedAre(['b', 'c', 'policy', 'late', theGarden.name], ['b', 'policy', theGarden.name]),
      },
      {
        title: 'the other finalizer goes',
        change: people => people.release(theGarden, finalizerOfOthers),
        faults: goneExcept(['a', 'c', 'foreign', 'late']),
      },
    ],
  },
  {
    ...world,
    title: 'a Garden lets go of all it referred to and lives on',
    stages: [
      {
        title: 'a Garden refers to two objects',
        change: async people => {
          await Promise.all([secret('a'), configMap('policy')].map(people.create))
          await people.create(newGarden({ dns: ['a'], webhook: null, policy: 'policy' }))
        },
        faults: protectedAre(['a', 'policy', theGarden.name]),
      },
      {
        title: 'to none any more',
        change: refer({ dns: [], webhook: null, policy: null }),
        faults: protectedAre([]),
      },
    ],
  },
]
