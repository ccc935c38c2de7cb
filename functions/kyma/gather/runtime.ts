// Reads the runtime of a Kyma with concurrent requests. A failed read is returned as a fault.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind, moduleReleaseMetaKind, moduleTemplateKind } from '../../../shared/api/kyma.ts'
import { isText, mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { isSubdomain } from '../../../shared/core/objects/dns-name.ts'
import {
  isDeleting,
  type KubeObject,
  keyOf,
  type ObjectRef,
  refOf,
  refText,
} from '../../../shared/core/objects/object.ts'
import { errorText } from '../../../shared/core/text/error-text.ts'
import type { ReadClient, Reads } from '../../../shared/kube/client-types.ts'
import { AccessError } from '../../../shared/kube/errors.ts'
import { getIfServed, listIfServed } from '../../../shared/kube/reading.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'
import { runtimeCrdNames, runtimeName, runtimeTaken, syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import { wantedAgent } from '../../../shared/kyma/settings.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import { copiesOfOthers, readCopy, rivalOf } from '../../../shared/runtime/rivals.ts'
import { agentName } from '../desired/agent.ts'
import { agentRefs } from '../desired/agent-objects.ts'
import type { KymaRuntime, Leftovers, RuntimeSource, RuntimeThere } from '../rules/runtime.ts'
import type { KymaSettings } from '../settings.ts'
import { gatherAgentSource } from './agent.ts'

type Context = Pick<GatherContext<KymaSettings>, 'clusters' | 'memory' | 'settings' | 'reads'>

export const gatherRuntime = async (kyma: Kyma, context: Context): Promise<KymaRuntime> => {
  const reached = await reach(kyma, context)
  if ('is' in reached) return reached
  const read = await Promise.all([
    readRuntime(kyma, reached, context),
    needsAgent(kyma, context) ? copyWithAgent(kyma, reached) : undefined,
    isDeleting(kyma) ? readLeft(reached, kyma) : undefined,
  ]).catch(runtimeAway)
  if ('is' in read) return read
  const [there, beside, left] = read
  const [rival, agentRival] = await Promise.all(
    [there.copy, beside].map(copy => rivalOf(keyOf(kyma), { ...context, client: reached, copy })),
  )
  if (rival) return { is: 'taken', fault: runtimeTaken(rival) }
  // The control plane knows which Kymas of these copies exist. A failed read of the control plane does not make the runtime away.
  const otherCopies = left && (await copiesOfOthers(left.copies, keyOf(kyma), { ...context, client: reached }))
  return {
    ...there,
    ...(otherCopies && { leftovers: { otherCopies, agent: left.agent } }),
    ...(agentRival && { agentElsewhere: beside?.metadata.namespace }),
  }
}

/** The state of the runtime after a failed read. */
export const runtimeAway = (error: unknown): KymaRuntime => ({
  is: isRefused(error) ? 'refused' : 'away',
  fault: `the runtime cannot be read: ${faultText(error)}`,
})

/** An AccessError here means a missing Secret. A later AccessError is about the address in the Secret. */
const reach = async (kyma: Kyma, { clusters }: Context): Promise<ReadClient | KymaRuntime> => {
  try {
    return await clusters.of(runtimeName(kyma.metadata.name))
  } catch (error) {
    if (!(error instanceof AccessError)) throw error
    return { is: isRefused(error) ? 'refused' : 'unknown', fault: error.message }
  }
}

/** The message may name the host, because the access Secret comes from operators of the control plane. */
const faultText = (error: unknown): string =>
  error instanceof AccessError && error.host !== undefined ? `${error.message}: ${error.host}` : errorText(error)

const isRefused = (error: unknown): boolean => error instanceof AccessError && error.reason === 'Refused'

const readRuntime = async (kyma: Kyma, client: ReadClient, context: Context): Promise<RuntimeThere> => {
  const namespace = syncNamespace(kyma)
  const { pullSecret: secret } = context.settings
  const [there, crds, kinds, pullSecret, agentPods] = await Promise.all([
    client.get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: namespace }),
    readCrds(client),
    readOurKinds(client, namespace),
    secret === undefined ? undefined : client.get({ ...secretKind, namespace, name: secret }),
    needsAgentPods(kyma, context) ? client.list(agentPodsIn(namespace)) : undefined,
  ])
  return {
    is: 'there',
    cluster: runtimeName(kyma.metadata.name),
    crds,
    ...kinds,
    ...(there && { namespace: there }),
    ...(pullSecret && { pullSecret }),
    ...(agentPods && { agentPods }),
  }
}

/** The Pods are read only while the agent is not known to run. */
const needsAgentPods = (kyma: Kyma, context: Context): boolean => needsAgent(kyma, context) && !hasRunningAgent(kyma)

const needsAgent = (kyma: Kyma, { settings }: Context): boolean =>
  wantedAgent(settings) !== undefined && !isDeleting(kyma)

const hasRunningAgent = ({ status }: Kyma): boolean =>
  status?.conditions?.some(({ type, status }) => type === 'SKRWebhook' && status === 'True') ?? false

const agentPodsIn = (namespace: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  namespace,
  labelSelector: `app=${agentName}`,
})

const secretKind = { apiVersion: 'v1', kind: 'Secret' }

type Source = Pick<Context, 'reads' | 'settings'>

export const gatherRuntimeSource = async (kyma: Kyma, source: Source): Promise<RuntimeSource> => {
  const [crds, pullSecret, agent] = await Promise.all([
    readCrds(source.reads),
    readPullSecret(source),
    gatherAgentSource(kyma, source),
  ])
  return { crds, ...(pullSecret && { pullSecret }), ...(agent && { agent }) }
}

/** The control plane's Secret for pulling images. undefined: the Secret does not exist, or the settings name none. */
export const readPullSecret = async ({ reads, settings }: Source): Promise<KubeObject | undefined> => {
  const { pullSecret: name } = settings
  const { controlPlane: namespace } = kymaNames.namespaces
  return name === undefined ? undefined : reads.get({ ...secretKind, namespace, name })
}

const readCrds = async (reads: Reads): Promise<readonly KubeObject[]> => {
  const kind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', namespace: '' }
  const crds = await Promise.all(Object.values(runtimeCrdNames).map(name => reads.get({ ...kind, name })))
  return crds.flatMap(crd => crd ?? [])
}

type OurKinds = Pick<RuntimeThere, 'copy' | 'catalogue' | 'catalogueOfOthers' | 'unserved'>

/** The field managers of the catalogue are dropped as soon as they have shown which objects are ours. */
const readOurKinds = async (client: ReadClient, namespace: string): Promise<OurKinds> => {
  const others = new Set<string>()
  const keep = (object: KubeObject): KubeObject | undefined => {
    const ours = ofCatalogue(object)
    if (ours === undefined && others.size < othersMost) others.add(refText(refOf(object)))
    return ours
  }
  const query = { namespace, withManagedFields: true, keep }
  const [kymas, templates, releases] = await Promise.all([
    listIfServed(client, { ...kymaKind, namespace, fieldSelector: `metadata.name=${kymaNames.copyName}` }),
    listIfServed(client, { ...moduleTemplateKind, ...query }),
    listIfServed(client, { ...moduleReleaseMetaKind, ...query }),
  ])
  const unserved = Object.entries({ kymas, templates, releases }).filter(([, found]) => found === undefined)
  const [copy] = kymas ?? []
  return {
    catalogue: [...(templates ?? []), ...(releases ?? [])],
    ...(others.size < othersMost && { catalogueOfOthers: others }),
    ...(copy && { copy: copy as Kyma }),
    unserved: unserved.map(([kind]) => runtimeCrdNames[kind as keyof typeof runtimeCrdNames]),
  }
}

/** A limit, because the runtime's owner may create any number of objects. */
const othersMost = 1_000

const ofCatalogue = (object: KubeObject): KubeObject | undefined => {
  const { managedFields, ...metadata } = object.metadata
  const isOurs = mapsIn(managedFields).some(({ manager }) => manager === kymaNames.fieldManagers.catalogue)
  return isOurs ? { ...object, metadata } : undefined
}

type Left = Pick<Leftovers, 'agent'> & {
  /** The copies of all Kymas in the runtime. */
  readonly copies: readonly KubeObject[]
}

const readLeft = async (client: ReadClient, kyma: Kyma): Promise<Left> => {
  const [copies = [], agent] = await Promise.all([
    listIfServed(client, { ...kymaKind, metadataOnly: true }),
    Promise.all(agentRefs(syncNamespace(kyma)).map(ref => getIfServed(client, ref))),
  ])
  return { copies, agent: agent.flatMap(object => object ?? []) }
}

// Reads whether the agent of a runtime belongs to another Kyma. Two Kymas with different namespaces may share a runtime, but some objects
// of the agent exist once per cluster.

/** The cluster-wide objects of the agent that name the agent's namespace. */
const agentWide: readonly ObjectRef[] = [
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding' },
  { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
].map(kind => ({ ...kind, namespace: '', name: agentName }))

/** The copy of another Kyma in the namespace of the agent. undefined: the agent is in this Kyma's namespace, or there is no such copy. */
const copyWithAgent = async (kyma: Kyma, client: Reads): Promise<Kyma | undefined> => {
  const namespace = await agentNamespace(client)
  return namespace === undefined || namespace === syncNamespace(kyma) ? undefined : readCopy(client, namespace)
}

/**
 * The namespace of the agent's ServiceAccount. Agents of the Go operator have no ServiceAccount. For such an agent, the webhook
 * configuration names the namespace of the Service, but only while there are Watchers.
 */
const agentNamespace = async (client: Reads): Promise<string | undefined> => {
  const [binding, configuration] = await Promise.all(agentWide.map(ref => client.get(ref)))
  const [account] = mapsIn(binding?.subjects)
  const [entry] = mapsIn(configuration?.webhooks)
  const found = [account?.namespace, mapOrEmpty(mapOrEmpty(entry?.clientConfig).service).namespace]
  return found.filter(isText).find(isSubdomain)
}
