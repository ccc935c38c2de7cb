// Policies that follow a Garden, the label of a namespace, and people who edit, delete and own some of them. The namespace gets
// its role late: whoever sees the world as it was in the beginning has nothing to do there.
import { gardenKind, gardenNamespace } from '../../../shared/api/garden.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import { garden } from '../../make/garden/garden.ts'
import { foreignPolicy } from '../../make/objects/namespaces.ts'
import type { People, Scenario, Stage } from '../scenario.ts'

const theGarden: ObjectRef = { ...gardenKind, namespace: '', name: 'faulty-garden' }
const exposed = 'faulty-exposed'
const policyKind = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' }
const policy = (namespace: string, name: string): ObjectRef => ({ ...policyKind, namespace, name })
const exposureClass = 'handler.exposureclass.gardener.cloud/name'
const owner = 'networking.gardener.cloud/managed-by'

const label = (people: People, name: string, labels: Record<string, string | null>) =>
  people.change({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name }, { metadata: { labels } })

/** Exactly these are ours, and the one of somebody else is as it was. */
const oursAre =
  (...places: string[]): Stage['faults'] =>
  objects => {
    const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy')
    const ours = policies.filter(({ metadata }) => metadata.labels?.[owner] === 'garden-network-policy')
    const found = ours.map(placeOf).sort().join(', ')
    const wanted = places.sort().join(', ')
    const foreign = policies.find(one => placeOf(one) === `${gardenNamespace}/allow-to-dns`)
    return [
      ...(found === wanted ? [] : [`ours are ${found}; wanted: ${wanted}`]),
      ...(JSON.stringify(foreign?.spec)?.includes('"egress":[{}]') ? [] : ["somebody else's policy was touched"]),
    ]
  }
const placeOf = ({ metadata: { namespace, name } }: KubeObject) => `${namespace}/${name}`

const inGarden = [
  'deny-all',
  ...['runtime-apiserver', 'public-networks', 'private-networks', 'blocked-cidrs'].map(name => `allow-to-${name}`),
].map(name => `${gardenNamespace}/${name}`)
const inExposed = [`${exposed}/deny-all`, `${exposed}/allow-to-dns`]

export const scenarios: readonly Scenario[] = [
  {
    title: 'a Garden, namespaces and people',
    key: { namespace: '', name: 'default' },
    crds: ['operator.gardener.cloud_gardens.yaml', '../../tests/harness/clusters/crds/clusters.yaml'],
    namespaces: [gardenNamespace, exposed],
    observes: [{ ...gardenKind }, ...[gardenNamespace, exposed].map(namespace => ({ ...policyKind, namespace }))],
    dependent: policy(gardenNamespace, 'allow-to-dns'),
    stages: [
      {
        title: 'a Garden, and a policy of somebody else under one of the names',
        change: async people => {
          await people.create(foreignPolicy({ namespace: gardenNamespace, name: 'allow-to-dns' }))
          await people.create(garden({ metadata: { name: theGarden.name } }))
        },
        faults: oursAre(...inGarden),
      },
      {
        title: 'a namespace gets a role; one policy is edited, one deleted, one loses our label',
        change: async people => {
          await label(people, exposed, { [exposureClass]: 'internet' })
          await people.change(policy(gardenNamespace, 'deny-all'), { spec: { ingress: [{}] } })
          await people.delete(policy(gardenNamespace, 'allow-to-public-networks'))
          await people.change(policy(gardenNamespace, 'allow-to-private-networks'), {
            metadata: { labels: { [owner]: null } },
          })
        },
        faults: oursAre(...inGarden, ...inExposed),
      },
      {
        title: 'networks are blocked, and the role is lost',
        change: async people => {
          await label(people, exposed, { [exposureClass]: null })
          const blockCIDRs = ['169.254.169.254/32']
          await people.change(theGarden, { spec: { runtimeCluster: { networking: { blockCIDRs } } } })
        },
        faults: oursAre(...inGarden),
      },
      {
        title: 'the Garden is gone',
        change: people => people.delete(theGarden),
        faults: oursAre(),
      },
    ],
  },
]
