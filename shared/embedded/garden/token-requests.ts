// A stand-in for the token requestor of the virtual garden's resource manager. A Secret that requests a token of a ServiceAccount gets it
// in `token` or in its kubeconfig. The token is replaced before it expires. Like the real requestor, it only serves the class shoot.
import { parse, stringify } from 'yaml'
import { remembered } from '../../core/memory/remembered.ts'
import { isDeleting, type KubeObject } from '../../core/objects/object.ts'
import { encodedTexts, secretText } from '../../core/objects/secret-text.ts'
import { durationSeconds } from '../../core/time/duration.ts'
import { kubeTime } from '../../core/time/kube-time.ts'
import type { Client } from '../../kube/client-types.ts'
import { isAlreadyExists } from '../../kube/errors.ts'
import { isMap, type JsonMap, listAt, mapOrEmpty, textAt } from '../value.ts'
import { patched, type StandIn, secretKind } from './stand-in.ts'

type Place = { readonly source: Client; readonly target: Client; readonly namespace: string }

const manager = 'gardener-resource-manager'
const prefix = 'serviceaccount.resources.gardener.cloud'
const renewal = `${prefix}/token-renew-timestamp`
const longestMilliseconds = 3_600_000

export const tokenRequests = (place: Place): StandIn => ({
  name: 'token-requestor',
  kinds: [{ ...secretKind, client: place.source, namespace: place.namespace }],
  reconcile: async known => {
    const asking = known.all(secretKind).filter(isAsking)
    await Promise.all(asking.filter(isDue).map(secret => tokenGiven(place, secret)))
    const next = asking.filter(secret => !isDue(secret)).map(secret => renewalOf(secret) - Date.now())
    return Math.min(longestMilliseconds, ...next)
  },
})

const isAsking = (secret: KubeObject): boolean => {
  const labels = secret.metadata.labels ?? {}
  const [purpose, forClass] = [labels['resources.gardener.cloud/purpose'], labels['resources.gardener.cloud/class']]
  return purpose === 'token-requestor' && forClass === 'shoot' && !isDeleting(secret)
}

const annotation = ({ metadata }: KubeObject, name: string): string => metadata.annotations?.[`${prefix}/${name}`] ?? ''

const renewalOf = (secret: KubeObject): number => Date.parse(annotation(secret, 'token-renew-timestamp')) || 0

const isDue = (secret: KubeObject): boolean => renewalOf(secret) <= Date.now() || !hasToken(secret)

/** With `prettyErrors`, an error would quote the text, which contains a token. */
const parsed = (kubeconfig: string): unknown => parse(kubeconfig, { prettyErrors: false })

const hasToken = remembered((secret: KubeObject): boolean => {
  const kubeconfig = secretText(secret, 'kubeconfig')
  return kubeconfig ? textAt(userIn(parsed(kubeconfig)), 'token') !== '' : secretText(secret, 'token') !== ''
})

const tokenGiven = async ({ source, target }: Place, secret: KubeObject): Promise<void> => {
  const [namespace, name] = [annotation(secret, 'namespace'), annotation(secret, 'name')]
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', automountServiceAccountToken: false }
  await target.create({ ...account, metadata: { name, namespace } }, { fieldManager: manager }).catch(error => {
    if (!isAlreadyExists(error)) throw error
  })
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: secondsOf(annotation(secret, 'token-expiration-duration')) },
  }
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`
  const reply = await target.raw({ method: 'POST', path, body })
  const [token, until] = [textAt(reply, 'status', 'token'), Date.parse(textAt(reply, 'status', 'expirationTimestamp'))]
  const renewAt = new Date(Date.now() + (until - Date.now()) * 0.8)
  await patched({ client: source, manager }, secret, {
    metadata: { annotations: { [renewal]: kubeTime(renewAt) } },
    data: dataWith(secret, token),
  })
}

const dataWith = (secret: KubeObject, token: string): JsonMap => {
  const kubeconfig = secretText(secret, 'kubeconfig')
  if (!kubeconfig) return encodedTexts({ token })
  const read = mapOrEmpty(parsed(kubeconfig))
  const user = userIn(read)
  user.token = token
  return encodedTexts({ kubeconfig: stringify(read) })
}

const userIn = (kubeconfig: unknown): JsonMap => {
  const named = (list: string, name: string) =>
    mapOrEmpty(listAt(kubeconfig, list).find(one => textAt(one, 'name') === name))
  const context = named('contexts', textAt(kubeconfig, 'current-context'))
  const entry = named('users', textAt(context, 'context', 'user'))
  if (!isMap(entry.user)) entry.user = {}
  return entry.user as JsonMap
}

const defaultSeconds = 12 * 3600

const secondsOf = (duration: string): number => (duration ? durationSeconds(duration) : undefined) ?? defaultSeconds
