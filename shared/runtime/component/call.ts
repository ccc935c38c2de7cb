// What the passes of one call for a component share, so that nothing is read, rendered or run twice. Example: the first pass
// reads the Secret that valuesFrom names and applies; the second, of the same generation, takes what the first has read. A
// pass that finds another generation reads all of it again.
import { componentDigest } from '../../component/declared/digests.ts'
import { nothingObserved, type ObservedCluster } from '../../component/world.ts'
import { isMap } from '../../core/json.ts'
import { isDeleting, type KubeObject } from '../../core/object.ts'
import type { HookPoint } from '../../core/plan.ts'
import type { Client, Clusters } from '../../kube/client-types.ts'
import type { RunHook } from '../../kube/writes/perform-step.ts'
import type { BegunCall } from '../context.ts'
import type { CallScope } from '../definition.ts'
import type { Configuration } from './configuration/configuration.ts'
import { actingIdentity } from './configuration/identity.ts'
import type { ComponentContext, LoadContext } from './definition/definition.ts'
import type { Engine } from './definition/engine.ts'
import { runHooks } from './definition/hooks.ts'
import type { Reached } from './reached.ts'
import { readingAs } from './references/reading-as.ts'
import { namesSecrets, type References, readReference, readReferences } from './references/references.ts'
import { holdsSecrets, noSecrets, type Secrecy, secrecyOf, withSecret } from './references/secrecy.ts'
import { type Generation, generatedManifests } from './rendering/manifests.ts'
import { localTarget, type TargetClient, targetOf } from './target-cluster.ts'
import { statusAt } from './told/engine-status.ts'

export class ComponentCall implements CallScope {
  readonly hooksDone = new Set<HookPoint>()
  readonly call: BegunCall
  readonly clusters: Clusters
  readonly #engine: Engine
  readonly #references = latest<References>()
  readonly #target = latest<TargetClient>()
  readonly #manifests = latest<readonly KubeObject[]>()
  #reached: Reached | undefined
  #hasRunPostRead = false
  #hasLookedUp = false
  #secrecy = noSecrets
  #hasFoundSecrets = false

  constructor(engine: Engine, call: BegunCall) {
    const kubeConfigHosts = call.kubeConfigHosts[engine.functionName] ?? engine.options.kubeConfigHosts
    this.#engine = { ...engine, options: { ...engine.options, kubeConfigHosts } }
    this.call = call
    this.clusters = { of: async name => (name === 'target' && this.#reached?.target.client) || call.clusters.of(name) }
  }

  /**
   * A template looked something up, or the definition's own code may have read something. References do not count: the relay
   * watches them.
   */
  get reusesReads(): boolean {
    const { options, hooks } = this.#engine
    return this.#hasLookedUp || !options.hasPureGenerator || Object.values(hooks).some(some => some.length > 0)
  }

  /** From the references and lookups that were read so far. */
  get secrecy(): Secrecy {
    const { isConfidential, words } = this.#secrecy
    return { isConfidential: isConfidential || this.#hasFoundSecrets, words }
  }

  /** Runs the hooks of a plan; undefined as long as the component has not been reached. */
  get runHook(): RunHook | undefined {
    const reached = this.#reached
    return reached && (({ point, object }) => this.#runHook(point, object, reached))
  }

  /** Runs the postRead hooks, once in a call, and answers the component with the status they left. */
  async afterPostRead(object: KubeObject): Promise<KubeObject> {
    const { postRead: hooks } = this.#engine.hooks
    if (this.#hasRunPostRead || hooks.length === 0) return object
    this.#hasRunPostRead = true
    const localClient = this.#clientBefore(object)
    const context = {
      ...this.#context(object),
      ...{ client: refusing('the cluster of the dependents is not known yet'), localClient, componentDigest: '' },
      reference: this.#referenceOnDemand(object, localClient),
    }
    return runHooks({ point: 'postRead', hooks, component: object, context, client: this.call.local })
  }

  /** Reads what the component refers to and finds the cluster of its dependents. */
  async reach(component: KubeObject, configuration: Configuration): Promise<Reached> {
    const key = `${component.metadata.generation} ${isDeleting(component)}`
    const references = await this.#references(key, () => this.#read(component, configuration))
    const { kubeConfigHosts, references: options } = this.#engine.options
    const { isConfidential, words } = secrecyOf(references.values())
    this.#secrecy = { isConfidential: isConfidential || namesSecrets(options, component), words }
    const target = await this.#target(key, () =>
      targetOf({ component, configuration, kubeConfigHosts, call: this.call }),
    )
    this.#secrecy = { ...this.#secrecy, words: [...words, ...(target.credentials ?? [])] }
    const digests = [...references].map(([path, { digest }]) => [path, digest])
    this.#reached = { digest: componentDigest(component, Object.fromEntries(digests)), references, target }
    return this.#reached
  }

  /** Rendered once in a call for each digest and revision of the component. */
  manifests(component: KubeObject, generation: Generation): Promise<readonly KubeObject[]> {
    const { reached, status } = generation
    return this.#manifests(`${reached.digest} ${status.revision} ${isDeleting(component)}`, () =>
      generatedManifests({
        ...generation,
        ...{ engine: this.#engine, call: this.call, context: this.#contextOf(component, reached) },
        lookedUp: found => {
          this.#hasLookedUp = true
          this.#hasFoundSecrets ||= holdsSecrets(found)
        },
        isConfidential: () => this.secrecy.isConfidential,
      }),
    )
  }

  /** The component with the status fields that the definition's option `notes` answers. */
  noted(component: KubeObject, reached: Reached): KubeObject {
    const notes = this.#engine.options.notes(this.#contextOf(component, reached))
    const status = Object.entries({ ...(isMap(component.status) && component.status), ...notes }).filter(
      ([, value]) => value !== undefined,
    )
    return { ...component, status: Object.fromEntries(status) }
  }

  async #runHook(point: HookPoint, component: KubeObject, reached: Reached): Promise<KubeObject> {
    const context = this.#contextOf(component, reached)
    const hooks = this.#engine.hooks[point]
    const after = await runHooks({ point, hooks, component, context, client: this.call.local })
    this.hooksDone.add(point)
    return after
  }

  #read(component: KubeObject, { identity }: Configuration): Promise<References> {
    const context = this.#loadContext(component, readingAs(this.call.local, identity.here))
    return readReferences(this.#engine.options.references, context)
  }

  #contextOf(component: KubeObject, { digest, references, target }: Reached): ComponentContext {
    return {
      ...this.#context(component),
      ...{ client: target.client, localClient: target.local, componentDigest: digest },
      reference: path => references.get(path)?.value,
    }
  }

  #context(component: KubeObject) {
    const { name: reconcilerName, options } = this.#engine
    return {
      reconcilerName,
      component,
      componentNamespace: component.metadata.namespace ?? '',
      componentName: component.metadata.name,
      componentRevision: statusAt(component, options.statusPath).revision ?? 0,
      now: this.call.now(),
      signal: this.call.signal,
    }
  }

  #referenceOnDemand(component: KubeObject, localClient: Client): (path: string) => Promise<unknown> {
    const { references } = this.#engine.options
    return async path => {
      const referred = await readReference(path, references, this.#loadContext(component, localClient))
      if (referred) this.#secrecy = withSecret(this.#secrecy, referred)
      return referred?.value
    }
  }

  #loadContext(component: KubeObject, localClient: Client): LoadContext {
    const { artifacts, now, signal } = this.call
    return { component, localClient, artifacts, now: now(), signal }
  }

  /**
   * The local cluster under the identity that the component names. For postRead hooks, which run before its configuration is
   * read.
   */
  #clientBefore(component: KubeObject): Client {
    const identified = actingIdentity(component, this.#engine.options)
    return 'faults' in identified
      ? refusing(identified.faults.join('; '))
      : readingAs(this.call.local, identified.identity.here)
  }
}

/** What is known of the target cluster without a read: the component's own namespace exists. */
export const knownBefore = ({ metadata: { namespace } }: KubeObject, { target }: Reached): ObservedCluster => {
  const isAtHome = namespace !== undefined && target.name === localTarget
  return isAtHome ? { ...nothingObserved, namespaces: new Map([[namespace, true]]) } : nothingObserved
}

/** Keeps the answer to the latest key. */
const latest = <Value>(): ((key: string, make: () => Promise<Value>) => Promise<Value>) => {
  let kept: { readonly key: string; readonly value: Value } | undefined
  return async (key, make) => {
    kept = kept?.key === key ? kept : { key, value: await make() }
    return kept.value
  }
}

/** In the place of a client that a postRead hook may not use: using it throws. */
const refusing = (because: string): Client =>
  new Proxy({} as Client, {
    get: () => {
      throw new Error(because)
    },
  })
