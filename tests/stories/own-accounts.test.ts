// Functions that share a process, as `npm start` and the tests of other people's operators run them: each has its own account.
import t from 'tap'
import type { KubeObject, ObjectRef } from '../../shared/core/objects/object.ts'
import { readLandscape } from '../../shared/deploy/landscape/landscape.ts'
import { startEmbeddedCluster } from '../../shared/embedded/start.ts'
import { hostLog } from '../../shared/http/telemetry/log.ts'
import { createClient } from '../../shared/kube/client/client.ts'
import { servedOf } from '../../shared/main/landscape.ts'
import { accountAccess, accountClients, startInProcess } from '../../shared/main/start/in-process.ts'
import { install, installation } from '../../shared/main/start/install.ts'
import { matches } from '../harness/matches.ts'
import { eventually } from '../harness/until.ts'

const person = { fieldManager: 'person' }
const component: ObjectRef = {
  ...{ apiVersion: 'core.espalier.dev/v1alpha1', kind: 'Component' },
  ...{ namespace: 'default', name: 'shop' },
}
const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' }

t.test('FN-125 a function in a shared process has the rights of its own account and no others', async t => {
  const landscape = servedOf(readLandscape('serverless.yml'), ['component'])
  const { namespace } = landscape.provider
  const cluster = await startEmbeddedCluster({ node: { stepMilliseconds: 0 } })
  t.teardown(cluster.stop)
  const { url: server, caCert: ca, adminToken: token } = cluster
  const access = { server, credentials: () => ({ ca, token }) }
  const client = createClient(access)
  t.teardown(client.close)
  await install(client, installation(landscape, { withWebhooks: false }))
  await client.apply(withoutConfigMaps, person)
  await client.patch(
    { apiVersion: role.apiVersion, kind: 'ClusterRoleBinding', namespace: '', name: 'espalier-component' },
    { type: 'merge', body: { subjects: [{ kind: 'ServiceAccount', namespace, name: 'nobody' }] } },
    person,
  )
  await client.create(lesserBinding(namespace), person)
  const clients = await accountClients(['component', 'webhook-certificate'], name =>
    accountAccess(access, client, { namespace, name }),
  )
  t.teardown(clients.close)
  const running = await startInProcess({ landscape, clients, log: hostLog('silent'), hostFlags: [] })
  t.teardown(running.stop)

  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shop' } }
  const { namespace: place, name, ...kind } = component
  await client.create(
    { ...kind, metadata: { namespace: place, name }, spec: { source: { manifests: [configMap] } } },
    person,
  )
  const status = async () => ((await client.get(component)) as { status?: Status } | undefined)?.status
  await eventually('it is decided', async () => ['Error', 'Ready'].includes((await status())?.state ?? ''))
  matches(t, (await status())?.conditions, [
    { message: new RegExp(`User "system:serviceaccount:${namespace}:component" cannot`) },
  ])
  t.equal(await client.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: place, name }), undefined)
})

type Status = { readonly state?: string; readonly conditions?: readonly { readonly message: string }[] }

/** All that component needs but ConfigMaps. The account of the host keeps the rights of all functions. */
const withoutConfigMaps = {
  ...role,
  metadata: { name: 'less' },
  rules: [
    { apiGroups: ['core.espalier.dev', 'events.k8s.io'], resources: ['*'], verbs: ['*'] },
    { apiGroups: [''], resources: ['namespaces', 'secrets', 'events'], verbs: ['*'] },
  ],
} as KubeObject

const lesserBinding = (namespace: string): KubeObject => ({
  ...{ apiVersion: role.apiVersion, kind: 'ClusterRoleBinding', metadata: { name: 'less' } },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'less' },
  subjects: [{ kind: 'ServiceAccount', namespace, name: 'component' }],
})
