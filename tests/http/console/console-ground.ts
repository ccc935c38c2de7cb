// The console of a host, asked as a browser asks it, with tokens of service accounts that may list more or less.
import type { Test } from 'tap'
import { componentCrd } from '../../../shared/api/component/crd.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { clientTo } from '../../harness/clusters/cluster-client.ts'
import { serviceAccountToken } from '../../harness/clusters/service-account.ts'
import { established } from '../../harness/component/orchards.ts'
import { eventually } from '../../harness/until.ts'
import { landscape, testHost } from '../host-parts.ts'

export const person = { fieldManager: 'person' }
export const componentKind = { apiVersion: 'core.espalier.dev/v1alpha1', kind: 'Component' }
const rbac = 'rbac.authorization.k8s.io'

export const condition = (status: string, message: string, more: object = {}) => ({
  conditions: [
    {
      type: 'Ready',
      status,
      reason: 'DependentsNotReady',
      message,
      lastTransitionTime: '2020-01-01T00:00:00Z',
      ...more,
    },
  ],
})

export const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } }
export const source = { manifests: [configMap] }

/** What a person reads on a page. */
export const textOf = (body: string): string =>
  body
    .replace(/<(svg|select)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ')

type Reply = { statusCode: number; headers: Record<string, unknown>; body: string }

/** `watched`: what the console asks who callers are with. */
const hostOf = ({ local, watched }: { readonly local: Client; readonly watched: Client }, change: object) => {
  const host = testHost({
    functions: [],
    context: { ...testHost().parts.context, clusters: clusters({ local }) },
    landscape: landscape(),
    console: {
      local: watched,
      audience: 'espalier',
      certificates: () => [
        { name: 'serving', ends: new Date(Date.now() + 3.5 * 86_400_000) },
        { name: 'renewed', ends: new Date(Date.now() + 7.5 * 86_400_000) },
      ],
    },
    ...change,
  })
  if (!host.console) throw new Error('there is no console')
  return { ...host, ...host.console }
}

export type ConsoleHost = ReturnType<typeof hostOf>

/** A cluster with Components in several states, and a host with a console. */
export const consoleGround = async (t: Test) => {
  const cluster = await anyCluster(t)
  const admin = clientTo(t, cluster)
  const { namespace } = cluster
  const other = `${namespace}-b`
  await established(admin, componentCrd() as KubeObject)
  await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } }, person)
  t.teardown(() => admin.delete({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: other }, {}))

  /** Counts what the console asks. */
  const asked: string[] = []
  const client = clientTo(t, cluster, ({ verb }) => void asked.push(verb))
  const paths: string[] = []
  const watched = {
    ...client,
    raw: (request: Parameters<typeof client.raw>[0]) => {
      paths.push(`${request.path} ${JSON.stringify(request.body)}`)
      return client.raw(request)
    },
  }

  const hostWith = (change: object = {}) => hostOf({ local: client, watched }, change)
  const host = hostWith()
  t.teardown(() => host.app.close())

  const component = async (name: string, status: object, more: object = {}, place = namespace): Promise<void> => {
    const ref = { ...componentKind, namespace: place, name }
    await admin.create({ ...componentKind, metadata: { name, namespace: place }, spec: { source, ...more } }, person)
    await admin.patch(ref, { type: 'merge', body: { status } }, { ...person, subresource: 'status' })
  }

  const item = (kind: string, name: string, status: string, applyOrder = 0) => ({
    ...{ group: kind === 'Job' ? 'batch' : '', version: 'v1', kind, name, namespace, applyOrder },
    ...{ phase: status === '' ? 'ScheduledForApplication' : 'Creating', status },
  })

  await component('broken', { state: 'Error', ...condition('False', 'the chart has no such version') })
  await component('slow', {
    state: 'Processing',
    ...condition('False', 'waits for Job lost'),
    inventory: [
      item('ConfigMap', 'first', 'Current', -1),
      item('Job', 'lost', 'InProgress'),
      item('ConfigMap', 'last', '', 1),
    ],
  })
  await component('well', { state: 'Ready', ...condition('True', 'all is ready') })
  await component('held', { state: 'Ready', ...condition('True', 'all is ready') }, { suspend: true })
  await component('far', { state: 'Ready', ...condition('True', 'all is ready') }, {}, other)
  await admin.apply(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'first', namespace }, data: { a: 'b' } },
    { fieldManager: 'gardener-of-maps' },
  )

  const role = `console-${namespace}`
  await admin.create(
    {
      ...{ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: role } },
      rules: [
        {
          apiGroups: ['', 'batch', 'core.espalier.dev'],
          resources: ['components', 'jobs', 'configmaps', 'events'],
          verbs: ['list'],
        },
      ],
    },
    person,
  )
  t.teardown(() => admin.delete({ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', namespace: '', name: role }, {}))

  /** A token of an account that may list everywhere, in one namespace, or nowhere. */
  const tokenOf = async (
    name: string,
    where: 'everywhere' | 'here' | 'nowhere',
    audience = 'espalier',
  ): Promise<string> => {
    await admin.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } }, person)
    const binding = {
      ...{ apiVersion: `${rbac}/v1`, metadata: { name: `${role}-${name}`, ...(where === 'here' && { namespace }) } },
      kind: where === 'here' ? 'RoleBinding' : 'ClusterRoleBinding',
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    }
    if (where !== 'nowhere') await admin.apply(binding, person)
    return serviceAccountToken(cluster, { namespace, name }, { audience })
  }
  const everywhere = await tokenOf('all', 'everywhere')
  const here = await tokenOf('one', 'here')
  const nowhere = await tokenOf('none', 'nowhere')

  const get = async (url: string, token: string | undefined = everywhere, on: ConsoleHost = host): Promise<Reply> => {
    const headers = token === '' ? {} : { authorization: `Bearer ${token}` }
    const { statusCode, headers: answered, body } = await on.app.inject({ method: 'GET', url, headers })
    return { statusCode, headers: answered, body }
  }
  const page = async (url: string, token?: string, on?: ConsoleHost): Promise<string> => {
    const { statusCode, body } = await get(url, token, on)
    return statusCode === 200 ? body : `${statusCode} ${body}`
  }
  const objectPath = (name: string, kind = 'Component', place = namespace) =>
    `/object/core.espalier.dev/v1alpha1/${kind}/${place}/${name}`

  const limitedTo = async (name: string, resources: string[]): Promise<string> => {
    const token = await tokenOf(name, 'nowhere')
    const limited = `${role}-${name}`
    await admin.apply(
      {
        ...{ apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { name: limited, namespace } },
        rules: [{ apiGroups: ['', 'core.espalier.dev'], resources, verbs: ['list'] }],
      },
      person,
    )
    await admin.apply(
      {
        ...{ apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata: { name: limited, namespace } },
        roleRef: { apiGroup: rbac, kind: 'Role', name: limited },
        subjects: [{ kind: 'ServiceAccount', name, namespace }],
      },
      person,
    )
    return token
  }

  await eventually('everything is read', async () => !/still being read/.test(await page('/')))
  return {
    cluster,
    admin,
    client,
    watched,
    namespace,
    other,
    asked,
    paths,
    host,
    hostWith,
    component,
    item,
    rbac,
    role,
    tokenOf,
    limitedTo,
    everywhere,
    here,
    nowhere,
    get,
    page,
    objectPath,
  }
}
