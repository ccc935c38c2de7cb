// What the passes of one call share: hooks that have run, what was referred to, what was rendered, the cluster of the
// dependents. A pass that finds the component changed has it all found again.
import { componentDigest } from '../../component/declared/digests.ts'
import { type Found, nothingFound } from '../../component/world.ts'
import { isMap } from '../../core/json.ts'
import { isDeleting, type KubeObject } from '../../core/object.ts'
import type { HookPoint } from '../../core/plan.ts'
import type { Client, Clusters } from '../../kube/client-types.ts'
import type { RunHook } from '../../kube/writes/perform-step.ts'
import type { CallContext, CallScope } from '../definition.ts'
import type { Residence } from './clusters/process-memory.ts'
import { localTarget, type Target, targetOf } from './clusters/target-cluster.ts'
import type { Configuration } from './configuration/configuration.ts'
import { identityOf } from './configuration/identity.ts'
import type { ComponentContext, LoadContext } from './definition/definition.ts'
import type { Engine } from './definition/engine.ts'
import { runHooks } from './definition/hooks.ts'
import { readingAs } from './references/reading-as.ts'
import { type References, readReference, readReferences } from './references/references.ts'
import { holdsSecrets, noSecrets, type Secrecy, secrecyOf } from './references/secrecy.ts'
import { type Generation, generatedManifests } from './rendering/manifests.ts'
import { statusAt } from './told/engine-status.ts'

export class ComponentScope implements CallScope {
  readonly hooksDone = new Set<HookPoint>()
  readonly clusters: Clusters
  readonly #engine: Engine
  readonly #call: CallContext
  readonly #residence: Residence
  #local: Client | undefined
  #hasRead = false
  #hasLookedUp = false
  #references: Remembered<References> | undefined
  #manifests: Remembered<readonly KubeObject[]> | undefined
  #target: Remembered<Target> | undefined
  #digest = ''
  #secrecy = noSecrets
  #hasFoundSecrets = false

  constructor(engine: Engine, call: CallContext, residence: Residence) {
    const { kubeConfigHosts = engine.options.kubeConfigHosts } = call
    this.#engine = { ...engine, options: { ...engine.options, kubeConfigHosts } }
    this.#call = call
    this.#residence = residence
    this.clusters = { of: async name => (name === 'target' ? this.target() : call.clusters.of(name)) }
  }

  /** What templates looked up is; and nobody knows what a definition's own code read. References are watched by name. */
  get reusesReads(): boolean {
    const { options, hooks } = this.#engine
    return this.#hasLookedUp || !options.hasPureGenerator || Object.values(hooks).some(some => some.length > 0)
  }

  /** As far as is known by now what the component refers to, and what its rendering looked up. */
  get secrecy(): Secrecy {
    const { isConfidential, words } = this.#secrecy
    return { isConfidential: isConfidential || this.#hasFoundSecrets, words }
  }

  /** The component as the postRead hooks leave it; they run once in a call. */
  async afterReading(object: KubeObject): Promise<KubeObject> {
    this.#local = await this.#call.clusters.of('local')
    if (this.#hasRead) return object
    this.#hasRead = true
    const { postRead: hooks } = this.#engine.hooks
    if (hooks.length === 0) return object
    const localClient = this.#before(object)
    const reference = this.#referenceOnDemand(object, localClient)
    const context = { ...this.#context(object), client: notKnownYet, localClient, reference }
    return runHooks({ point: 'postRead', hooks, component: object, context, client: this.#own })
  }

  /** Reads what the component refers to. */
  async digest(component: KubeObject, { identity }: Configuration): Promise<string> {
    const key = wishOf(component)
    const { references } = this.#engine.options
    const context = this.#loadContext(component, readingAs(this.#own, identity.here))
    if (this.#references?.key !== key) {
      this.#references = { key, value: await readReferences(references, context) }
      this.#secrecy = secrecyOf(this.#references.value.values())
    }
    const digests = [...this.#references.value].map(([path, { digest }]) => [path, digest])
    this.#digest = componentDigest(component, Object.fromEntries(digests))
    return this.#digest
  }

  async reachTarget(component: KubeObject, configuration: Configuration): Promise<void> {
    const key = wishOf(component)
    if (this.#target?.key === key) return
    const { kubeConfigHosts } = this.#engine.options
    const shared = { own: this.#own, bounds: this.#call.bounds, residence: this.#residence }
    this.#target = { key, value: await targetOf({ component, configuration, kubeConfigHosts, ...shared }) }
  }

  /** Throws before it is reached. */
  target(): Client {
    return this.#reached.client
  }

  /** Of the dependents' cluster, unasked: a component's own namespace is there as long as it is. */
  knownBefore({ metadata: { namespace } }: KubeObject): Found {
    const isAtHome = namespace !== undefined && this.#reached.name === localTarget
    return isAtHome ? { ...nothingFound, namespaces: new Map([[namespace, true]]) } : nothingFound
  }

  now(): Date {
    return this.#call.now()
  }

  clusterUid(): Promise<string> {
    return this.#residence.clusterUid(this.#own)
  }

  /** Generated once in a call for each state of the component. */
  async manifests(component: KubeObject, generation: Generation): Promise<readonly KubeObject[]> {
    const key = `${generation.digest} ${generation.status.revision} ${isDeleting(component)}`
    if (this.#manifests?.key !== key) this.#manifests = { key, value: await this.#generated(component, generation) }
    return this.#manifests.value
  }

  /** The component with what the definition notes in its status. */
  noted(component: KubeObject): KubeObject {
    const notes = this.#engine.options.notes(this.#context(component))
    const status = Object.entries({ ...(isMap(component.status) && component.status), ...notes }).filter(
      ([, value]) => value !== undefined,
    )
    return { ...component, status: Object.fromEntries(status) }
  }

  readonly runHook: RunHook = async ({ point, object: component }) => {
    const context = this.#context(component)
    const hooks = this.#engine.hooks[point]
    const after = await runHooks({ point, hooks, component, context, client: this.#own })
    this.hooksDone.add(point)
    return after
  }

  #generated(component: KubeObject, generation: Generation): Promise<readonly KubeObject[]> {
    return generatedManifests({
      ...generation,
      ...{ engine: this.#engine, context: this.#context(component), target: this.#reached },
      ...{ local: this.#own, residence: this.#residence, call: this.#call },
      lookedUp: found => {
        this.#hasLookedUp = true
        this.#hasFoundSecrets ||= holdsSecrets(found)
      },
      isConfidential: () => this.secrecy.isConfidential,
    })
  }

  #context(component: KubeObject): ComponentContext {
    const { name: reconcilerName, options } = this.#engine
    const target = this.#target?.value
    return {
      reconcilerName,
      client: target?.client ?? notKnownYet,
      localClient: target?.local ?? this.#own,
      component,
      componentNamespace: component.metadata.namespace ?? '',
      componentName: component.metadata.name,
      componentDigest: this.#digest,
      componentRevision: statusAt(component, options.statusPath).revision ?? 0,
      reference: path => this.#references?.value.get(path)?.value,
      now: this.#call.now(),
      signal: this.#call.signal,
    }
  }

  #referenceOnDemand(component: KubeObject, localClient: Client): (path: string) => Promise<unknown> {
    const { references } = this.#engine.options
    return async path => (await readReference(path, references, this.#loadContext(component, localClient)))?.value
  }

  #loadContext(component: KubeObject, localClient: Client): LoadContext {
    const { artifacts, now, signal } = this.#call
    return { component, localClient, artifacts, now: now(), signal }
  }

  /** Our own cluster as whom the component names, before anything else of its configuration is looked at. */
  #before(component: KubeObject): Client {
    const identified = identityOf(component, this.#engine.options)
    return 'faults' in identified
      ? unknown(identified.faults.join('; '))
      : readingAs(this.#own, identified.identity.here)
  }

  /** Our own cluster under our own identity. */
  get #own(): Client {
    if (!this.#local) throw new Error('the component has not been read yet')
    return this.#local
  }

  get #reached(): Target {
    if (!this.#target) throw new Error('the cluster of the dependents is not known yet')
    return this.#target.value
  }
}

/** Another one means that references and clusters have to be looked up anew. */
const wishOf = (component: KubeObject): string => `${component.metadata.generation} ${isDeleting(component)}`

type Remembered<Value> = { readonly key: string; readonly value: Value }

/** Stands for a client where nobody knows which that is. */
const unknown = (because: string): Client =>
  new Proxy({} as Client, {
    get: () => {
      throw new Error(because)
    },
  })

const notKnownYet = unknown('the cluster of the dependents is not known yet')
