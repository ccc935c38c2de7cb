// Whether a key is missing where a program still needs it. Pure: it judges what a namespace of a Garden contains at one moment. Roots are the keys
// that rotations renew: authorities, the key of service accounts, encryption keys of etcds. Programs know roots by what they mount: bundles, files of
// encryption keys, kubeconfigs.
//
//   keyFaults({ secrets, pods, kept: [], tokens: [] }) // ['Pod gardener-apiserver-1: cannot read what Pod gardener-apiserver-2 writes']
import { createPublicKey, verify, X509Certificate } from 'node:crypto'
import { valueAt } from '../../../shared/core/json/fields.ts'
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'

export type KeysSeen = {
  /** By name. Deleted Secrets are included, because a Pod that mounts one still has it. */
  readonly secrets: ReadonlyMap<string, KubeObject>
  readonly pods: readonly KubeObject[]
  /** Roots that every program must know if it knows any root of the same kind. */
  readonly kept: readonly KubeObject[]
  /** Secrets with tokens of the virtual garden. */
  readonly tokens: readonly KubeObject[]
  /** The Deployment of the API server, whose Pod template says what new Pods would mount. */
  readonly server?: KubeObject
}

export const encryptionKeyNames = ['kube-apiserver-etcd-encryption-key', 'gardener-apiserver-etcd-encryption-key']

/** A sentence for each fault. */
export const keyFaults = (seen: KeysSeen): string[] => {
  const mounts = mountsIn(seen, seen.pods)
  return [...new Set([...lostRoots(seen, mounts), ...unreadable(mounts), ...untrusted(seen, mounts), ...refused(seen)])]
}

/** The name that the configuration of generated Secrets gives. */
export const configName = ({ metadata }: KubeObject): string => metadata.labels?.name ?? ''

const data = (secret: KubeObject): Record<string, string> => mapOrEmpty(secret.data) as Record<string, string>
const decoded = (base64 = ''): string => Buffer.from(base64, 'base64').toString()
const nameOf = ({ metadata }: KubeObject): string => metadata.name

type Mount = {
  readonly by: string
  readonly secret: KubeObject
}

const mountsIn = ({ secrets }: KeysSeen, pods: readonly KubeObject[]): Mount[] =>
  pods.flatMap(pod => mountedNames(pod.spec).flatMap(name => mountOf(nameOf(pod), secrets.get(name))))

/** A Secret that was made after the Secrets were read is judged next time. */
const mountOf = (by: string, secret: KubeObject | undefined): Mount[] => (secret ? [{ by, secret }] : [])

const mountedNames = (podSpec: unknown): string[] =>
  mapsIn(mapOrEmpty(podSpec).volumes).flatMap(volume => [
    String(valueAt(volume, 'secret', 'secretName')),
    ...mapsIn(valueAt(volume, 'projected', 'sources')).map(source => String(valueAt(source, 'secret', 'name'))),
  ])

/** The name of the roots that the Secret holds, and the text with these roots. */
const known = (secret: KubeObject): { readonly of: string; readonly text: string } | undefined => {
  const bundled = secret.metadata.labels?.['bundle-for']
  if (bundled) return { of: bundled, text: Object.values(data(secret)).map(decoded).join('') }
  if (configName(secret) === 'generic-token-kubeconfig') {
    const [, authority] = /certificate-authority-data: (\S+)/.exec(decoded(data(secret).kubeconfig)) ?? []
    return { of: 'ca', text: decoded(authority) }
  }
  const [, server] = /^(.*)-etcd-encryption-configuration-/.exec(nameOf(secret)) ?? []
  return server === undefined
    ? undefined
    : { of: `${server}-etcd-encryption-key`, text: decoded(data(secret)['encryption-configuration.yaml']) }
}

/** The part of a root that programs get which must know the root. */
const shownOf = (root: KubeObject): string => {
  const { 'ca.crt': authority, id_rsa: accountKey, secret: encryptionKey } = data(root)
  if (authority) return decoded(authority)
  if (accountKey) return createPublicKey(decoded(accountKey)).export({ type: 'spki', format: 'pem' }).toString()
  return encryptionKey ?? ''
}

const rootsIn = (secret: KubeObject): string => known(secret)?.text ?? ''

const lostRoots = ({ kept }: KeysSeen, mounts: readonly Mount[]): string[] =>
  mounts.flatMap(({ by, secret }) => {
    const roots = known(secret)
    const lost = kept.filter(root => roots?.of === configName(root) && !roots.text.includes(shownOf(root)))
    return lost.map(root => `Pod ${by}: ${nameOf(secret)} lacks ${nameOf(root)}, which is in use`)
  })

/** All replicas must be able to read what one replica writes with its first key. */
const unreadable = (mounts: readonly Mount[]): string[] =>
  encryptionKeyNames.flatMap(name => {
    const files = mounts.filter(({ secret }) => known(secret)?.of === name)
    return files.flatMap(({ by, secret: writer }) => {
      const [first = ''] = keysIn(writer)
      const blind = files.filter(({ secret }) => !keysIn(secret).includes(first))
      return blind.map(({ by: reader }) => `Pod ${reader}: cannot read what Pod ${by} writes`)
    })
  })

const keysIn = (file: KubeObject): string[] => [...rootsIn(file).matchAll(/secret: (\S+)/g)].map(([, key = '']) => key)

/**
 * Which certificate Pods show to which other Pods, and which Secret has the authorities that these know. Other clients get authorities in other ways.
 */
const showings = [
  { leaf: 'kube-apiserver', by: /apiserver-/, roots: 'generic-token-kubeconfig', to: /./ },
  { leaf: 'etcd-client', by: /apiserver-/, roots: 'ca-etcd-bundle', to: /-etcd-(main|events)-/ },
  ...['main', 'events'].map(role => ({
    leaf: `etcd-server-${role}`,
    by: /-etcd-/,
    roots: 'ca-etcd-bundle',
    to: /apiserver-/,
  })),
]

const untrusted = ({ secrets }: KeysSeen, mounts: readonly Mount[]): string[] => {
  const mounted = (name: string, pods: RegExp) =>
    mounts.filter(({ by, secret }) => pods.test(by) && configName(secret) === name)
  return showings.flatMap(({ leaf, by, roots, to }) =>
    mounted(leaf, by).flatMap(shown => {
      const signer = signerOf(shown.secret, secrets)
      if (!signer) return [`nobody knows who signed ${nameOf(shown.secret)}`]
      return mounted(roots, to)
        .filter(({ secret }) => !rootsIn(secret).includes(shownOf(signer)))
        .map(trusting => `Pod ${trusting.by}: does not trust ${nameOf(shown.secret)} of Pod ${shown.by}`)
    }),
  )
}

const signers = new WeakMap<KubeObject, KubeObject>()

/** Verified once for each certificate. */
const signerOf = (leaf: KubeObject, secrets: KeysSeen['secrets']): KubeObject | undefined => {
  const certificate = () => new X509Certificate(decoded(data(leaf)['tls.crt']))
  const found =
    signers.get(leaf) ??
    [...secrets.values()].find(root => {
      const authority = decoded(data(root)['ca.crt'])
      return authority && certificate().verify(new X509Certificate(authority).publicKey)
    })
  if (found) signers.set(leaf, found)
  return found
}

const refused = ({ secrets, server, tokens }: KeysSeen): string[] => {
  const template = mapOrEmpty(valueAt(server?.spec, 'template', 'spec'))
  const bundle = mountedNames(template)
    .flatMap(name => secrets.get(name) ?? [])
    .find(secret => known(secret)?.of === 'service-account-key')
  if (!bundle) return []
  return tokens
    .filter(secret => tokenIn(secret) !== '' && !isSigned(tokenIn(secret), rootsIn(bundle)))
    .map(secret => `the token of Secret ${nameOf(secret)} is by no key of ${nameOf(bundle)}`)
}

const tokenIn = (secret: KubeObject): string => {
  const { token, kubeconfig } = data(secret)
  return token ? decoded(token) : (/^\s*token: ([\w.-]+)/m.exec(decoded(kubeconfig))?.[1] ?? '')
}

const isSigned = (token: string, bundle: string): boolean => {
  const [head, claims, signature = ''] = token.split('.')
  const keys = bundle.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? []
  return keys.some(key => verify('sha256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url')))
}
