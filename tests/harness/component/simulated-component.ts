// A component in a simulated world: a test runs as many passes as it wants, each with reads, decision, steps and status write. The process may die at
// any step, and a status write may be lost. A new process finds only what is left.

import { isManaged, kindKey, managedTypesOf, typeOf } from '../../../shared/component/declared/kinds.ts'
import {
  type Item,
  type ItemKey,
  itemKey,
  itemsOf,
  type ManagedType,
  objectKey,
  storedItems,
} from '../../../shared/component/item.ts'
import { type ReadsWanted, readsWanted } from '../../../shared/component/observed/reads-wanted.ts'
import { ownerHashOf } from '../../../shared/component/ownership.ts'
import { afterSteps, type ComponentPlan, plan } from '../../../shared/component/plan.ts'
import type { DeletingOptions } from '../../../shared/component/removed/deleting.ts'
import { type InstancesWanted, isGenerated, typeKey } from '../../../shared/component/removed/deletion-blockers.ts'
import { dependentEvents } from '../../../shared/component/reported/dependent-events.ts'
import type { DependentsStatus } from '../../../shared/component/reported/dependents-status.ts'
import { type EngineInput, nothingObserved, type ObservedCluster, type Scope } from '../../../shared/component/world.ts'
import type { EventNote, Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import { subjectOf } from '../../../shared/core/decisions/steps.ts'
import { conditionOf, isTrue } from '../../../shared/core/objects/condition.ts'
import { type KubeObject, keyOf, keyText, refOf } from '../../../shared/core/objects/object.ts'
import { gadgetDefinition, namespaceManifest, P, question, sampleService } from '../../make/component/dependents.ts'
import { SimulatedWorld } from '../simulated/simulated-world.ts'

export type PassOptions = DeletingOptions & {
  /** The process dies after so many steps; the status is then not written. */
  dieAfterSteps?: number
  /** Another copy of the process, which read the status so many writes ago. The API server refuses its status write. */
  staleBy?: number
  /** The status write of this pass is lost. */
  losesStatus?: boolean
  /** The API server allows no lists. */
  refusesLists?: boolean
  /** The sentence with which the API server refuses a step. */
  refuses?: (step: Step) => string | undefined
}

export type Pass = {
  plan: ComponentPlan
  standing: DependentsStatus
  results: StepResult[]
  events: EventNote[]
  /** How many requests the reads took. */
  reads: number
}

/** Kinds that lie outside of namespaces, or that the cluster does not serve. */
const scopes: Readonly<Record<string, Scope>> = {
  'v1/Namespace': 'cluster',
  'apiextensions.k8s.io/v1/CustomResourceDefinition': 'cluster',
  'apiregistration.k8s.io/v1/APIService': 'cluster',
  'rbac.authorization.k8s.io/v1/ClusterRole': 'cluster',
  'unknown.io/v1/Nothing': 'unserved',
}

export class SimulatedComponent {
  /** A test may change it between two passes. The inventory in it is the one that was saved last. */
  question: EngineInput
  now = new Date('2026-01-01T00:00:00Z')
  readonly cluster: SimulatedWorld
  readonly #saved: (readonly Item[])[] = []

  constructor(question: EngineInput, cluster: SimulatedWorld) {
    this.question = question
    this.cluster = cluster
  }

  change(changes: Partial<EngineInput>): void {
    this.question = { ...this.question, ...changes }
  }

  waits(seconds: number): void {
    this.now = new Date(this.now.getTime() + seconds * 1000)
  }

  item(object: KubeObject): Item | undefined {
    return this.question.items.find(item => itemKey(item) === objectKey(object))
  }

  live(object: KubeObject): KubeObject | undefined {
    return this.cluster.get(refOf(object))
  }

  pass(options: PassOptions = {}): Pass {
    const question = { ...this.question, items: this.#itemsBefore(options.staleBy ?? 0) }
    const { observed, reads } = this.#read(question, options)
    const world = { ...question, observed }
    const planned = plan(world, this.now, options)
    const results = this.#perform(planned.steps, options)
    const standing = afterSteps(world, { plan: planned, results }, this.now, options)
    const events = dependentEvents(world, { plan: planned, results })
    const isDead = planned.steps.length > (options.dieAfterSteps ?? Number.POSITIVE_INFINITY)
    if (!isDead && !options.losesStatus && !options.staleBy) this.#save(asStored(standing.items))
    return { plan: planned, standing, results, events, reads }
  }

  /** Runs passes and calls, and ends when a pass neither writes nor saves anything. */
  settle({ passes = 40, afterEach = () => {}, ...options }: PassOptions & Settling = {}): Pass {
    for (let done = 0; done < passes; done++) {
      const before = JSON.stringify(this.question.items)
      const pass = this.pass(options)
      afterEach(pass)
      const isAtRest = pass.plan.steps.length === 0 && JSON.stringify(this.question.items) === before
      if (isAtRest && pass.standing.next.is !== 'again') return pass
    }
    throw new Error(`no rest within ${passes} passes`)
  }

  #read(question: EngineInput, { refusesLists = false }: PassOptions): { observed: ObservedCluster; reads: number } {
    let observed = nothingObserved
    for (let round = 0, reads = 0; round < 6; round++) {
      const wanted = readsWanted(question, observed)
      if (!wanted) return { observed, reads }
      reads += wanted.gets.length + wanted.lists.length + wanted.namespaces.length + wanted.instances.length
      observed = this.#foundWith(observed, wanted, refusesLists ? 'refused' : 'listed')
    }
    throw new Error('the engine keeps requesting reads')
  }

  #foundWith(observed: ObservedCluster, wanted: ReadsWanted, lists: 'listed' | 'refused'): ObservedCluster {
    const away = this.#away()
    for (const { apiVersion, kind } of [...wanted.kinds, ...wanted.gets, ...wanted.lists])
      if (isManaged(away, typeOf({ apiVersion, kind }))) throw new Error(`503: the server of ${kind} is away`)
    const got = wanted.gets.map(ref => ({ ref, object: this.cluster.get(ref) }))
    const listed = (lists === 'listed' ? wanted.lists : []).flatMap(list =>
      this.cluster.objects.filter(object => this.#isListed(object, list)).map(object => shown(object, list)),
    )
    const seen = [...got.flatMap(({ object }) => object ?? []), ...listed]
    return {
      kinds: new Map([...observed.kinds, ...wanted.kinds.map(kind => [kindKey(kind), this.#scope(kind)] as const)]),
      live: new Map([...observed.live, ...seen.map(object => [objectKey(object), object] as const)]),
      asked: new Set([...observed.asked, ...got.map(({ ref }) => keyOfRef(ref))]),
      listed: new Map([...observed.listed, ...wanted.lists.map(kind => [kindKey(kind), lists] as const)]),
      unreadable: observed.unreadable,
      namespaces: new Map([
        ...observed.namespaces,
        ...wanted.namespaces.map(name => [name, this.#namespace(name)] as const),
      ]),
      instances: new Map([
        ...observed.instances,
        ...wanted.instances.map(one => [typeKey(one.type), this.#instances(one)] as const),
      ]),
    }
  }

  #save(items: readonly Item[]): void {
    this.#saved.unshift(this.question.items)
    this.change({ items })
  }

  #itemsBefore(writes: number): readonly Item[] {
    return writes === 0 ? this.question.items : (this.#saved[writes - 1] ?? [])
  }

  #isListed(object: KubeObject, { apiVersion, kind, namespace }: ReadsWanted['lists'][number]): boolean {
    const isThere = namespace === undefined || object.metadata.namespace === namespace
    const isOfKind = object.apiVersion === apiVersion && object.kind === kind
    return isThere && isOfKind && this.#owner(object) === this.question.owner.hash
  }

  #owner(object: KubeObject): string | undefined {
    return ownerHashOf(object, this.question.settings.reconcilerName)
  }

  #scope(kind: { apiVersion: string; kind: string }): Scope {
    if (kind.kind === 'Gadget' && !this.live(gadgetDefinition())) return 'unserved'
    if (kind.kind === 'Sample' && !this.live(sampleService())) return 'unserved'
    return scopes[kindKey(kind)] ?? 'namespaced'
  }

  /** The kinds that unavailable APIServices would serve. */
  #away(): ManagedType[] {
    const services = this.cluster.objects.filter(({ kind }) => kind === 'APIService')
    return services.filter(service => !isTrue(conditionOf(service, 'Available'))).flatMap(managedTypesOf)
  }

  #namespace(name: string): KubeObject | undefined {
    return this.cluster.get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name })
  }

  #instances({ type, except, labelSelector, ourLabel }: InstancesWanted) {
    const isSelected = (object: KubeObject) => !labelSelector || this.#owner(object) !== this.question.owner.hash
    const others = this.cluster.objects
      .filter(object => isManaged([type], typeOf(object)) && isSelected(object))
      .filter(object => !except.has(objectKey(object)) && !isGenerated(object, ourLabel))
    return { first: others.slice(0, 10).map(object => keyText(keyOf(object))), count: others.length }
  }

  #perform(
    steps: readonly Step[],
    { dieAfterSteps = Number.POSITIVE_INFINITY, refuses = () => undefined }: PassOptions,
  ) {
    const inOrder = steps.toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0))
    return inOrder.slice(0, dieAfterSteps).map(step => this.#result(step, refuses(step)))
  }

  #result(step: Step, refusal: string | undefined): StepResult {
    const ref = refOf(subjectOf(step))
    const failed = { message: refusal ?? 'conflict', isConflict: refusal === undefined, isRetriable: false, ref }
    const isDone = refusal === undefined && this.cluster.perform(step)
    if (!isDone) return { step, changed: false, error: failed }
    return { step, changed: true, object: step.do === 'delete' ? undefined : this.cluster.get(ref) }
  }
}

export type Settling = {
  passes?: number
  /** What others do between two passes. */
  afterEach?: (pass: Pass) => void
}

/** Converts to the form that the status holds, and back. */
const asStored = (items: readonly Item[]): Item[] => itemsOf(JSON.parse(JSON.stringify(storedItems(items))))

const keyOfRef = ({ apiVersion, kind, namespace, name }: ReturnType<typeof refOf>): ItemKey =>
  objectKey({ apiVersion, kind, metadata: { namespace, name } })

export const shop = namespaceManifest('shop')

/** The cluster has the component's namespace, unless `cluster` says otherwise. */
export const component = (changes: Partial<EngineInput>, cluster: readonly KubeObject[] = [shop]): SimulatedComponent =>
  new SimulatedComponent(question(changes), new SimulatedWorld(cluster))

/** `create ConfigMap a` for each step. */
export const stepsOf = ({ plan }: { plan: { steps: readonly Step[] } }): string[] =>
  plan.steps.map(step => {
    const subject = subjectOf(step)
    return `${step.do} ${subject.kind} ${subject.metadata.name}`
  })

export const errorsOf = ({ standing }: { standing: { errors: readonly { message: string }[] } }): string[] =>
  standing.errors.map(({ message }) => message)

/** Skips the pass that only saves the inventory, and returns the steps of the next one in order. */
export const second = (subject: SimulatedComponent): { plan: { steps: Step[] } } => {
  subject.pass()
  const { plan } = subject.pass()
  return { plan: { steps: plan.steps.toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0)) } }
}

/** Somebody else writes to an object. */
export const edit = (
  subject: SimulatedComponent,
  object: KubeObject,
  change: (live: KubeObject) => KubeObject,
): void => {
  const live = subject.live(object)
  if (!live) throw new Error(`there is no ${object.metadata.name}`)
  subject.cluster.put(change(live))
}

export const hasConditions = (...types: string[]) => ({
  conditions: types.map(type => ({ type, status: 'True', message: `${type} it is` })),
})

export const becomesReady = (subject: SimulatedComponent, object: KubeObject): void =>
  edit(subject, object, live => ({ ...live, status: hasConditions('Ready') }))

export const establish = (subject: SimulatedComponent, object: KubeObject): void =>
  edit(subject, object, live => ({ ...live, status: hasConditions('Established', 'NamesAccepted') }))

/** The aggregator reaches the server behind an APIService. */
export const becomesAvailable = (subject: SimulatedComponent, service = sampleService()): void =>
  edit(subject, service, live => ({ ...live, status: hasConditions('Available') }))

export const goesAway = (subject: SimulatedComponent): void =>
  edit(subject, sampleService(), live => ({ ...live, status: hasConditions() }))

/** The API server establishes every CRD as soon as it sees it. */
export const establishes = (subject: SimulatedComponent): void => {
  const { perform } = subject.cluster
  subject.cluster.perform = step => {
    const isDone = perform.call(subject.cluster, step)
    if (step.do === 'create' && step.object.kind === 'CustomResourceDefinition') establish(subject, step.object)
    return isDone
  }
}

export const ownedBy = (object: KubeObject, hash: string, id = 'elsewhere/x/y'): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    labels: { [`${P}/owner-id`]: hash },
    annotations: { [`${P}/owner-id`]: id },
  },
})

const shown = ({ apiVersion, kind, metadata, ...content }: KubeObject, list: ReadsWanted['lists'][number]) => ({
  apiVersion,
  kind,
  metadata,
  ...(!list.metadataOnly && content),
})
