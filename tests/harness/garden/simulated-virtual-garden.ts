// The virtual garden of a simulated Garden, as rotations see it. Replicas of two API servers read and write objects with the keys in the files that
// they mount. During a rollout, old and new replicas run side by side. Clients have tokens signed with the key that the API server mounts. Agents of
// Seeds take their time. At any moment it knows whether a key is gone that somebody still needs.
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { SimulatedWorld } from '../simulated/simulated-world.ts'

const core = 'core.gardener.cloud'
const seed = { apiVersion: `${core}/v1beta1`, kind: 'Seed' }
const storedWith = 'test/stored-with'
const operation = 'gardener.cloud/operation'

const servers = ['kube-apiserver', 'gardener-apiserver'] as const
type Server = (typeof servers)[number]

const kindsOf: Readonly<Record<Server, readonly (readonly [string, string])[]>> = {
  'kube-apiserver': [
    ['v1', 'Secret'],
    ['v1', 'ConfigMap'],
  ],
  'gardener-apiserver': [
    [`${core}/v1`, 'ControllerDeployment'],
    ...['ControllerRegistration', 'InternalSecret', 'ShootState', 'Project'].map(
      kind => [`${core}/v1beta1`, kind] as const,
    ),
  ],
}

/** `configmaps`, `projects.core.gardener.cloud` */
export const resourceOf = ({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): string =>
  [`${kind.toLowerCase()}s`, ...(apiVersion.includes('/') ? [apiVersion.split('/')[0]] : [])].join('.')

/** A rule of an encryption file: the first key writes these resources, all keys read them. `plain` is no key. */
type Rule = { readonly resources: readonly string[]; readonly keys: readonly string[] }

/** Two objects of each kind that is stored encrypted, or may be, and two Seeds. */
const objects: readonly KubeObject[] = [
  ...Object.values(kindsOf)
    .flat()
    .flatMap(([apiVersion, kind]) => ['a', 'b'].map(name => ({ apiVersion, kind, metadata: { name } }))),
  ...['near', 'far'].map(name => ({ ...seed, metadata: { name } })),
]

export class SimulatedVirtualGarden {
  readonly cluster = new SimulatedWorld(objects)
  /** The files of the running replicas, those of the former template first. */
  readonly #files: Record<Server, (readonly Rule[])[]> = { 'kube-apiserver': [], 'gardener-apiserver': [] }
  #moments = 0

  /** Starts replicas with this file; if they already run beside others, ends the others. True once all replicas have this file. */
  roll(server: Server, file: KubeObject): boolean {
    const [rules, running] = [rulesIn(file), this.#files[server]]
    const isNew = running.length === 1 && running.every(one => !isDeepStrictEqual(one, rules))
    this.#files[server] = isNew ? [...running, rules] : [rules]
    return !isNew
  }

  /** Clients write through any replica, also through one that is about to end. Agents of Seeds finish what they were asked for. */
  live(): void {
    this.#moments++
    for (const object of this.cluster.objects) {
      const server = servers.find(name => kindsOf[name].some(([, kind]) => kind === object.kind))
      if (server && object.metadata.name === 'a') this.#store(server, object)
      const { [operation]: asked, ...annotations } = object.metadata.annotations ?? {}
      if (asked !== undefined && this.#moments % 3 === 0)
        this.cluster.put({ ...object, metadata: { ...object.metadata, annotations } })
    }
  }

  /** Stores an object that somebody wrote. */
  stored(object: KubeObject): void {
    const server = servers.find(name => kindsOf[name].some(([, kind]) => kind === object.kind))
    if (server) this.#store(server, object)
  }

  /** Keys that some replica lacks for stored objects. */
  get lostKeys(): string[] {
    return this.cluster.objects.flatMap(object => {
      const { kind, metadata } = object
      const server = servers.find(one => kindsOf[one].some(([, other]) => other === kind))
      const key = metadata.annotations?.[storedWith]
      if (!server || key === undefined || key === 'plain') return []
      const isRead = this.#files[server].every(rules => keysFor(object, rules).includes(key))
      return isRead ? [] : [`${kind} ${metadata.name} is stored with ${key}`]
    })
  }

  /** The keys with which objects are stored now. */
  get usedKeys(): string[] {
    return [...new Set(servers.flatMap(server => kindsOf[server].flatMap(([, kind]) => this.keysOf(kind))))].filter(
      key => key !== 'plain',
    )
  }

  /** The keys with which the objects of a kind are stored. */
  keysOf(wanted: string): string[] {
    const stored = this.cluster.objects.filter(({ kind }) => kind === wanted)
    return [...new Set(stored.flatMap(({ metadata }) => metadata.annotations?.[storedWith] ?? []))]
  }

  #store(server: Server, object: KubeObject): void {
    const files = this.#files[server]
    const rules = files[this.#moments % 2 === 0 ? 0 : files.length - 1]
    if (rules === undefined) return
    const [key = ''] = keysFor(object, rules)
    const annotations = { ...object.metadata.annotations, [storedWith]: key }
    this.cluster.put({ ...object, metadata: { ...object.metadata, annotations } })
  }
}

const keysFor = (object: KubeObject, rules: readonly Rule[]): readonly string[] =>
  rules.find(({ resources }) => resources.includes(resourceOf(object)))?.keys ?? ['plain']

const rulesIn = (file: KubeObject): Rule[] => {
  const text = Buffer.from(String(mapOrEmpty(file.data)['encryption-configuration.yaml']), 'base64').toString()
  return mapsIn(mapOrEmpty(parse(text)).resources).map(({ resources, providers }) => ({
    resources: (Array.isArray(resources) ? resources : []).map(String),
    keys: mapsIn(providers).flatMap(({ aescbc }) =>
      aescbc ? mapsIn(mapOrEmpty(aescbc).keys).map(({ name }) => String(name)) : ['plain'],
    ),
  }))
}
