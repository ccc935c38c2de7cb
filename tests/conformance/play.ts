// Plays one case on a cluster, in a namespace of its own, and says what was seen at each step.
import { type ApiClient, apiClient, type Method, type WatchEvent } from '../harness/clients/api.ts'
import type { Credentials, Endpoint } from '../harness/clients/kubeconfig.ts'
import { mayDo } from '../harness/clusters/access-review.ts'
import { eventually } from '../harness/until.ts'
import type { Case, Step } from './cases.ts'
import { targetOf } from './paths.ts'
import { at, type Names, shownEvent, shownReply } from './shown.ts'
import { probeName, readyHook, type WebhookServer } from './webhook-server.ts'

export type Stage = {
  readonly endpoint: Endpoint
  readonly admin: Credentials
  /** Names of namespaces begin with it. */
  readonly prefix: string
  readonly webhooks: WebhookServer
}

/** What a case has while it is played. */
type Play = {
  readonly api: ApiClient
  readonly names: Names
  readonly webhooks: WebhookServer
  readonly namespace: string
}

type Seen = unknown
type Act = (play: Play, step: Step) => Promise<Seen | (() => Promise<Seen>)>

const verbs: Readonly<Record<string, { method: Method; contentType?: string }>> = {
  GET: { method: 'GET' },
  POST: { method: 'POST' },
  PUT: { method: 'PUT' },
  DELETE: { method: 'DELETE' },
  JSON: { method: 'PATCH', contentType: 'application/json-patch+json' },
  MERGE: { method: 'PATCH', contentType: 'application/merge-patch+json' },
  STRATEGIC: { method: 'PATCH', contentType: 'application/strategic-merge-patch+json' },
  APPLY: { method: 'PATCH', contentType: 'application/apply-patch+yaml' },
  PATCH: { method: 'PATCH', contentType: 'application/json' },
}

/** What was seen at each step of a case; the number tells its namespace from those of others. */
export const played = async (stage: Stage, { things, hooks, steps }: Case, number: number): Promise<Seen[]> => {
  const namespace = `${stage.prefix}-${number}`
  const api = apiClient(stage.endpoint, stage.admin)
  const hooksUrl = `${stage.webhooks.url}/${namespace}`
  const names: Names = new Map([
    ['hooks', hooksUrl],
    ['ca', stage.webhooks.caBundle],
  ])
  const play = { api, names, namespace, webhooks: stage.webhooks }
  stage.webhooks.add(namespace, hooks ?? {})
  try {
    await must(api, 'POST', '/api/v1/namespaces', { metadata: { name: namespace } })
    if (things) await define(play, things)
    const seen: (Seen | (() => Promise<Seen>))[] = []
    for (const step of steps) seen.push(await act(play, step))
    return await Promise.all(seen.map(each => (typeof each === 'function' ? each() : each)))
  } finally {
    await api.close()
  }
}

const act: Act = (play, step) => {
  if (step.do) return request(play, step)
  if (step.watch) return watch(play, step)
  if (step.await) return awaited(play, step)
  if (step.served) return served(play, step)
  if (step.until) return allowed(play, step)
  if (step.webhooks) return configure(play, step)
  if (step.policies) return rule(play, step)
  return Promise.resolve(play.webhooks.takeCalls(play.namespace))
}

/** A value with this play's names filled in. */
const filled = <T>({ names, namespace }: Play, value: T): T => {
  if (value === undefined) return value
  const text = JSON.stringify(value)
    .replaceAll('$ns', namespace)
    .replace(/\$\{(\w+)\}/g, (whole, name: string) => names.get(name) ?? whole)
  return JSON.parse(text)
}

const request: Act = async (play, step) => {
  const [verb = '', short = ''] = (step.do ?? '').split(' ')
  const { method, contentType } = verbs[verb] ?? { method: 'GET' }
  const target = filled(play, targetOf(short))
  const body = filled(play, typed(step.body, target, verb))
  const sent = { body, as: filled(play, step.as), accept: step.accept, ...(contentType && { contentType }) }
  const reply = await play.api.call(method, encodeURI(target.path), sent)
  for (const [name, path] of Object.entries(step.save ?? {})) play.names.set(name, String(at(reply.body, path)))
  return shownReply(reply, step, play.names)
}

/** Objects are sent with their type unless they say one, or say that they have none. */
const typed = (body: unknown, { path, apiVersion, kind }: ReturnType<typeof targetOf>, verb: string): unknown => {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  if (!isObject || !kind || !['POST', 'PUT', 'APPLY'].includes(verb) || 'apiVersion' in body || 'kind' in body)
    return body
  if (/\/token(\?|$)/.test(path)) return { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', ...body }
  return { apiVersion, kind, ...body }
}

const watch: Act = async (play, step) => {
  const [short = '', query = ''] = (step.watch ?? '').split('?')
  const { path } = filled(play, targetOf(short))
  const ending = new AbortController()
  const events = await play.api.openWatch(encodeURI(`${path}?watch=1&${filled(play, query)}`), ending.signal)
  const collected = take(events, step.take ?? 1)
  return async () => {
    const shown = (await collected).map(event => shownEvent(event, step, play.names))
    ending.abort()
    return shown
  }
}

const take = async (events: AsyncGenerator<WatchEvent>, count: number): Promise<WatchEvent[]> => {
  const taken: WatchEvent[] = []
  while (taken.length < count) {
    const next = await events.next()
    if (next.done) break
    if (!isTick(next.value)) taken.push(next.value)
  }
  return taken
}

/** Bookmarks come when the server likes; only the one that ends the initial events has its place. */
const isTick = ({ type, object }: WatchEvent): boolean => type === 'BOOKMARK' && !object.metadata?.annotations

const awaited: Act = async (play, step) => {
  const { path } = filled(play, targetOf(step.await ?? ''))
  const place = path.slice(0, path.lastIndexOf('/'))
  const is = filled(play, step.is)
  await play.api.waitFor({
    in: place,
    name: path.slice(place.length + 1),
    until: object =>
      is === 'gone' || object === undefined ? is === 'gone' && object === undefined : hasValues(object, is),
  })
  return undefined
}

const served: Act = async (play, step) => {
  const { path } = filled(play, targetOf(step.served ?? ''))
  const isServed = async () => hasValues((await play.api.call('GET', path)).body, step.is)
  await eventually(`${path} is served as its definition says`, isServed)
  return undefined
}

const hasValues = (object: unknown, values: Step['is'] = {}): boolean =>
  Object.entries(values).every(([field, value]) => JSON.stringify(at(object, field) ?? null) === JSON.stringify(value))

const allowed: Act = async (play, step) => {
  const { until = '', as: user = '' } = filled(play, step)
  const [verb = '', what = ''] = until.split(' ')
  const [group = '', resource = '', name = ''] = what.includes('/')
    ? what.split('/')
    : ['rbac.authorization.k8s.io', what]
  const place = { namespace: play.namespace, verb, resource, name }
  const resourceAttributes = { ...place, group: group === 'core' ? '' : group }
  const question = { user, groups: ['system:authenticated'], resourceAttributes }
  await eventually(`${user} may ${until}`, () => mayDo(play.api, question))
  return undefined
}

const must = async (api: ApiClient, method: Method, path: string, body: unknown): Promise<void> => {
  const reply = await api.call(method, path, { body })
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.text}`)
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

const define = async (
  play: Play,
  { schema, scope, version, versions, ...spec }: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const group = `${play.namespace}.example.com`
  const single = [
    { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...(version as object) },
  ]
  const definition = {
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: scope ?? 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: versions ?? single,
      ...spec,
    },
  }
  await must(play.api, 'POST', definitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    ...definition,
  })
  const served = (definition.spec.versions as { name: string; served: boolean }[]).filter(each => each.served)
  for (const { name } of served) await play.api.served(`/apis/${group}/${name}/things`)
}

const kinds = { validating: 'ValidatingWebhookConfiguration', mutating: 'MutatingWebhookConfiguration' } as const

const configure: Act = async (play, step) => {
  const phase = step.webhooks ?? 'validating'
  const { namespace, api } = play
  const name = `${namespace}-${step.name ?? phase}`
  const probe = {
    name: `${readyHook}.example.com`,
    url: readyHook,
    objectSelector: { matchLabels: { [probeName]: name } },
  }
  const webhooks = [probe, ...(step.each ?? [])].map(each => webhookOf(play, filled(play, each)))
  const path = `/apis/admissionregistration.k8s.io/v1/${kinds[phase].toLowerCase()}s`
  await must(api, 'POST', path, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: kinds[phase],
    metadata: { name },
    webhooks,
  })
  const trial = { metadata: { name: probeName, labels: { [probeName]: name } }, data: { [probeName]: name } }
  await eventually(`${name} is obeyed`, async () => {
    const reply = await api.call('POST', `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`, { body: trial })
    return reply.status === 400 && reply.text.includes(probe.name)
  })
  return undefined
}

const everyConfigMap = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] }]

/** A webhook that watches over this case's ConfigMaps, unless it says otherwise. */
const webhookOf = (play: Play, { url, ...rest }: Readonly<Record<string, unknown>>): unknown => ({
  name: `${url}.example.com`,
  clientConfig: { url: `${play.names.get('hooks')}/${url}`, caBundle: play.names.get('ca') },
  rules: everyConfigMap,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  timeoutSeconds: 30,
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': play.namespace } },
  ...rest,
})

type Policy = { readonly spec: object; readonly binding?: object }

/** What a policy says that shows, by an object which only it sees, that it and all before it count. */
const probes: Readonly<Record<string, Policy>> = {
  validating: { spec: { validations: [{ expression: 'false', message: probeName }] } },
  mutating: {
    spec: {
      mutations: [
        { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/data/given"}]' } },
      ],
    },
    binding: {},
  },
}

const policyDefaults: Readonly<Record<string, object>> = {
  validating: { spec: {}, binding: { validationActions: ['Deny'] } },
  mutating: { spec: { reinvocationPolicy: 'Never' }, binding: {} },
}

const rule: Act = async (play, step) => {
  const { api, namespace } = play
  const family = step.policies ?? 'validating'
  const label = `${namespace}-${step.name ?? family}`
  const probe = { ...probes[family], objectSelector: { matchLabels: { [probeName]: label } } }
  for (const [index, policy] of [...(step.each ?? []), probe].entries())
    await bind(play, family, { name: `${label}-${index}`, ...policy } as Policy & { name: string })
  const trial = { metadata: { name: probeName, labels: { [probeName]: label } }, data: { given: 'yes' } }
  const seconds = 60
  await eventually(
    `policies ${label} are obeyed`,
    async () => {
      const reply = await api.call('POST', `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`, { body: trial })
      return family === 'validating'
        ? reply.text.includes(`denied request: ${probeName}`)
        : reply.status === 201 && !reply.text.includes('"given":"yes"')
    },
    seconds,
  )
  return undefined
}

/** The probe is seen by its own policy alone. */
const noProbe = { matchExpressions: [{ key: probeName, operator: 'DoesNotExist' }] }

const bind = async (
  play: Play,
  family: string,
  { name, spec, binding, objectSelector }: Policy & { name: string; objectSelector?: object },
): Promise<void> => {
  const kind = family === 'validating' ? 'ValidatingAdmissionPolicy' : 'MutatingAdmissionPolicy'
  const apiVersion = 'admissionregistration.k8s.io/v1'
  const path = `/apis/${apiVersion}/${kind.toLowerCase().slice(0, -1)}`
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': play.namespace } }
  const resourceRules = [
    { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE'] },
  ]
  const constraints = { resourceRules, namespaceSelector, objectSelector: objectSelector ?? noProbe }
  const own = filled(play, spec) as { matchConstraints?: object }
  const matchConstraints = { ...constraints, ...own.matchConstraints }
  const defaults = policyDefaults[family] as { spec: object; binding: object }
  const whole = { ...defaults.spec, ...own, matchConstraints }
  await must(play.api, 'POST', `${path}ies`, { apiVersion, kind, metadata: { name }, spec: whole })
  const bound = { policyName: name, ...defaults.binding, ...filled(play, binding ?? {}) }
  await must(play.api, 'POST', `${path}ybindings`, {
    apiVersion,
    kind: `${kind}Binding`,
    metadata: { name },
    spec: bound,
  })
}
