// A stand-in for the Pods of virtual-garden-kube-apiserver: an embedded cluster that runs while the Deployment exists. The cluster uses the
// certificate, authorities, keys and tokens that the Deployment mounts, and serves Gardener's definitions.
import { sameJson } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { secretText } from '../../core/objects/secret-text.ts'
import { createClient } from '../../kube/client/client.ts'
import { accessHere } from '../http/without-sockets.ts'
import type { GivenIdentity } from '../identity/user.ts'
import { type EmbeddedCluster, startEmbeddedCluster } from '../start.ts'
import { fieldsAt, type JsonMap, listAt, textAt } from '../value.ts'
import { gardenerDefinitions, gardenlet } from './gardener.ts'
import { whileAvailable } from './health.ts'
import { managedResources } from './managed-resources.ts'
import { type Known, type ListeningAt, runStandIn, secretKind } from './stand-in.ts'
import { tokenRequests } from './token-requests.ts'

const deployments = { apiVersion: 'apps/v1', kind: 'Deployment' } as const
const prefix = 'virtual-garden-'

type Running = { readonly cluster: EmbeddedCluster; readonly identity: GivenIdentity; stop(): Promise<void> }

/** Also runs the stand-ins of the virtual garden. Returns a function that stops everything. */
export const runVirtualGarden = (place: ListeningAt): (() => Promise<void>) => {
  const { runtime, namespace } = place
  let running: Running | undefined
  const stop = runStandIn({
    name: 'virtual garden',
    kinds: [deployments, secretKind].map(kind => ({ ...kind, client: runtime, namespace })),
    reconcile: async known => {
      running = await followed(place, known, running)
      return undefined
    },
  })
  return async () => {
    await stop()
    await running?.stop()
  }
}

const followed = async (
  place: ListeningAt,
  known: Known,
  running: Running | undefined,
): Promise<Running | undefined> => {
  const { namespace } = place
  const deployment = known.find({ ...deployments, namespace, name: `${prefix}kube-apiserver` })
  if (deployment === undefined) {
    await running?.stop()
    return undefined
  }
  const identity = mountedIdentity(deployment, name => known.find({ ...secretKind, namespace, name }))
  if (identity === undefined || sameJson(identity, running?.identity)) return running
  if (running === undefined) return started(place, identity, flagValues(deployment, 'service-account-issuer')[0])
  running.cluster.useIdentity(identity)
  return { ...running, identity }
}

const mountedIdentity = (
  deployment: KubeObject,
  secretNamed: (name: string) => KubeObject | undefined,
): GivenIdentity | undefined => {
  const texts = (flag: string) =>
    flagValues(deployment, flag).map(path => mountedText(deployment, path, secretNamed) ?? '')
  const text = (flag: string) => texts(flag).join('\n')
  const identity = {
    serving: { cert: text('tls-cert-file'), key: text('tls-private-key-file') },
    clientAuthorities: text('client-ca-file'),
    accountKeys: { signing: text('service-account-signing-key-file'), verifying: text('service-account-key-file') },
    staticTokens: text('token-auth-file'),
  }
  const { serving, accountKeys, clientAuthorities, staticTokens } = identity
  const needed = [...Object.values(serving), ...Object.values(accountKeys), clientAuthorities, staticTokens]
  return needed.every(part => part !== '') ? identity : undefined
}

const started = async (place: ListeningAt, identity: GivenIdentity, issuer?: string): Promise<Running> => {
  const { runtime, namespace, host, port } = place
  const cluster = await startEmbeddedCluster({
    name: 'virtual-garden',
    host,
    port,
    identity,
    // The webhooks would run in Pods of the runtime cluster, but these Pods do not run.
    resolveService: () => 'allows',
    ...(issuer && { issuer }),
  })
  const client = createClient(accessHere(cluster))
  for (const definition of gardenerDefinitions) await client.apply(definition, { fieldManager: 'gardener-apiserver' })
  const operator = { client: runtime, namespace, name: `${prefix}gardener-resource-manager` }
  const stops = [
    whileAvailable(managedResources({ class: '', source: runtime, target: client }), operator),
    whileAvailable(tokenRequests({ source: runtime, target: client, namespace }), operator),
    gardenlet(client),
  ].map(runStandIn)
  const stop = async () => {
    await Promise.all(stops.map(end => end()))
    await client.close()
    await cluster.stop()
  }
  return { cluster, identity, stop }
}

const podOf = (deployment: KubeObject): JsonMap => fieldsAt(deployment, 'spec', 'template', 'spec') ?? {}

const container = (deployment: KubeObject): unknown => listAt(podOf(deployment), 'containers')[0]

const flagValues = (deployment: KubeObject, flag: string): string[] =>
  [...listAt(container(deployment), 'command'), ...listAt(container(deployment), 'args')]
    .map(String)
    .filter(argument => argument.startsWith(`--${flag}=`))
    .map(argument => argument.slice(flag.length + 3))

type SecretNamed = (name: string) => KubeObject | undefined

/** The text of a mounted file, or undefined if no file is mounted there or no Secret has the key. */
const mountedText = (deployment: KubeObject, path: string, secretNamed: SecretNamed): string | undefined => {
  const mount = listAt(container(deployment), 'volumeMounts').find(one =>
    path.startsWith(`${textAt(one, 'mountPath')}/`),
  )
  const volume = listAt(podOf(deployment), 'volumes').find(one => textAt(one, 'name') === textAt(mount, 'name'))
  const file = path.slice(textAt(mount, 'mountPath').length + 1)
  for (const { name, key } of sourcesOf(volume, file)) {
    const text = secretText(secretNamed(name), key)
    if (text) return text
  }
  return undefined
}

const sourcesOf = (volume: unknown, file: string): { name: string; key: string }[] =>
  [fieldsAt(volume, 'secret'), ...listAt(volume, 'projected', 'sources').map(one => fieldsAt(one, 'secret'))].map(
    secret => {
      const item = listAt(secret, 'items').find(one => textAt(one, 'path') === file)
      return { name: textAt(secret, 'secretName') || textAt(secret, 'name'), key: textAt(item, 'key') || file }
    },
  )
