// The virtual garden of a simulated Garden, as far as rotations see it: two API servers whose replicas read and write objects with the keys
// of the files that they mount, during a rollout old and new ones side by side; clients whose tokens are signed with the key that the API
// server mounts; Seeds whose agents take their time. It knows at any moment whether a key is gone that somebody still needs.
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
  'kube-apiserver': [['v1', 'Secret']],
  'gardener-apiserver': [
    [`${core}/v1`, 'ControllerDeployment'],
    ...['ControllerRegistration', 'InternalSecret', 'ShootState'].map(kind => [`${core}/v1beta1`, kind] as const),
  ],
}

/** Two of each kind that is stored encrypted, and two Seeds. */
const objects: readonly KubeObject[] = [
  ...Object.values(kindsOf)
    .flat()
    .flatMap(([apiVersion, kind]) => ['a', 'b'].map(name => ({ apiVersion, kind, metadata: { name } }))),
  ...['near', 'far'].map(name => ({ ...seed, metadata: { name } })),
]

export class SimulatedVirtualGarden {
  readonly cluster = new SimulatedWorld(objects)
  /** Names of keys in the files of the replicas that run, those of the former template first. */
  readonly #files: Record<Server, string[][]> = { 'kube-apiserver': [], 'gardener-apiserver': [] }
  #moments = 0

  /** Replicas with this file start, or, when they run beside others, the others end. True once all replicas are of this file. */
  roll(server: Server, file: KubeObject): boolean {
    const [keys, running] = [keyNamesIn(file), this.#files[server]]
    const isNew = running.length === 1 && running.every(one => one.join() !== keys.join())
    this.#files[server] = isNew ? [...running, keys] : [keys]
    return !isNew
  }

  /** Clients write through any replica, also those that are about to end; agents of Seeds end what they were asked. */
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

  /** After somebody wrote it. */
  stored(object: KubeObject): void {
    const server = servers.find(name => kindsOf[name].some(([, kind]) => kind === object.kind))
    if (server) this.#store(server, object)
  }

  /** Keys that some replica lacks for what is stored. */
  get lostKeys(): string[] {
    return this.cluster.objects.flatMap(({ kind, metadata: { name, annotations } }) => {
      const server = servers.find(one => kindsOf[one].some(([, other]) => other === kind))
      const key = annotations?.[storedWith]
      if (!server || key === undefined) return []
      return this.#files[server].every(keys => keys.includes(key)) ? [] : [`${kind} ${name} is stored with ${key}`]
    })
  }

  /** The keys with which objects are stored now. */
  get usedKeys(): string[] {
    return [...new Set(this.cluster.objects.flatMap(({ metadata }) => metadata.annotations?.[storedWith] ?? []))]
  }

  #store(server: Server, object: KubeObject): void {
    const files = this.#files[server]
    const [key] = files[this.#moments % 2 === 0 ? 0 : files.length - 1] ?? []
    if (key === undefined) return
    const annotations = { ...object.metadata.annotations, [storedWith]: key }
    this.cluster.put({ ...object, metadata: { ...object.metadata, annotations } })
  }
}

const keyNamesIn = (file: KubeObject): string[] => {
  const text = Buffer.from(String(mapOrEmpty(file.data)['encryption-configuration.yaml']), 'base64').toString()
  const [resource] = mapsIn(mapOrEmpty(parse(text)).resources)
  return mapsIn(resource?.providers).flatMap(({ aescbc }) =>
    mapsIn(mapOrEmpty(aescbc).keys).map(({ name }) => String(name)),
  )
}
