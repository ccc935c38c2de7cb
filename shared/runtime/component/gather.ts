// Reads everything about a component in this order: configuration, references, target cluster, manifests, live objects. The first error
// ends the reads, and the result is stage `stopped`. Throws only if the local API server fails or the call's time is up, because then the
// status cannot be written.
import { isDeleteHook } from '../../component/declared/annotations.ts'
import { itemsOf } from '../../component/item.ts'
import { ownerOf } from '../../component/ownership.ts'
import { deleteHookCount } from '../../component/removed/deleting.ts'
import type { PassError } from '../../component/reported/component-state.ts'
import type { EngineSettings } from '../../component/settings.ts'
import type { EngineInput } from '../../component/world.ts'
import { type HookPoint, hookPoints } from '../../core/decisions/plan.ts'
import { isMap, type JsonMap } from '../../core/json/json.ts'
import { mergePatched } from '../../core/json/merge-patch.ts'
import { keptOrMade } from '../../core/memory/remembered.ts'
import { hasFinalizer, isDeleting, type KubeObject, keyOf } from '../../core/objects/object.ts'
import { errorText } from '../../core/text/error-text.ts'
import type { Reads } from '../../kube/client-types.ts'
import { ApiError, ConnectionError, isConflict, isTrouble, isUnconverted } from '../../kube/errors.ts'
import { RendererBusy } from '../renderer/renderer.ts'
import { type ComponentCall, componentContext, type Rendered } from './call.ts'
import { type Configuration, configurationOf, settingsOf } from './configuration/configuration.ts'
import { actingIdentity } from './configuration/identity.ts'
import { retriableIn } from './definition/retriable.ts'
import { knownBefore, reach, referring } from './reach.ts'
import { withPods, withWriters, worldOf } from './reads/cluster-reads.ts'
import { recoveredWorld } from './reads/recovered-items.ts'
import { sharingInNamespace } from './reads/shared.ts'
import { ReferenceForbidden, ReferenceMissing } from './references/references.ts'
import { noSecrets } from './references/secrecy.ts'
import { rendered } from './rendering/manifests.ts'
import { type EngineStatus, statusAt, statusChange } from './status/engine-status.ts'
import { entered } from './status/state-in-status.ts'
import { localTarget, type Reached } from './target-cluster.ts'
import type { ComponentView, EngineWorld, Stage } from './world.ts'

/** `isEnding` uses the function's own identity, because the component's account may have lost its rights. */
type Gathering = ComponentCall & { readonly isEnding: IsEnding }

export const gather = async (object: KubeObject, begun: ComponentCall): Promise<EngineWorld> => {
  const call = { ...begun, isEnding: endingsIn(begun.begun.local) }
  const world = await gathered(object, call)
  const { namespace } = object.metadata
  const isHeldUp = isDeleting(object) && world.stage === 'stopped' && namespace !== undefined
  if (!isHeldUp || !(await call.isEnding(namespace))) return world
  return gathered(object, { ...call, isLeftAlone: true })
}

const gathered = async (object: KubeObject, call: Gathering): Promise<EngineWorld> => {
  const { engine } = call
  const unread = { engine, object, hooksDue: hooksDue(call), secrecy: noSecrets }
  let subject: ComponentView = { ...unread, component: object, status: statusAt(object, engine.options.statusPath) }
  try {
    if (isDeleting(object) && !isHeld(subject)) return { ...subject, stage: 'released' }
    if (isPostReadDue(subject)) return { ...subject, stage: 'hooks', point: 'postRead' }
    const { component } = subject
    const configured = configurationOf(component, engine.options)
    if ('faults' in configured) return { ...subject, ...misconfigured(configured.faults) }
    const { configuration } = configured
    subject = { ...subject, configuration }
    if (!isDeleting(component) && configuration.isSuspended) return { ...subject, stage: 'suspended' }
    const read = await referring(component, configuration, call)
    subject = { ...subject, secrecy: read.secrecy }
    const reached = await reach(component, { ...read, configuration, call })
    subject = { ...subject, reached, secrecy: reached.secrecy }
    const { digest } = reached
    if (!isDeleting(component)) subject = { ...subject, component: noted(component, reached, call) }
    if (!isHeld(subject)) return { ...subject, stage: 'unheld' }
    const isOther = digest !== subject.status.lastProcessingDigest || digest !== subject.status.processingDigest
    if (isOther) subject = begun(subject, entered(subject, digest, call.begun.now()))
    if (isOther && isSavedAtOnce(subject)) return { ...subject, stage: 'entering', digest }
    return { ...subject, ...(await stageOf(subject, { configuration, reached, call })) }
  } catch (error) {
    if (error instanceof RendererBusy)
      return { ...subject, stage: 'postponed', message: error.message, seconds: error.seconds }
    if (call.isLeftAlone && isAccessLost(error, subject)) return { ...subject, stage: 'cutOff' }
    return { ...subject, stage: 'stopped', error: troubleIn(error, subject) }
  }
}

/** Whether access to the target cluster is lost forever. In a namespace that is being deleted, the Secret cannot be created again. */
const isAccessLost = (error: unknown, { reached }: ComponentView): boolean =>
  !reached && (error instanceof ReferenceMissing || error instanceof ReferenceForbidden)

const isHeld = ({ component, engine }: ComponentView): boolean => hasFinalizer(component, engine.options.finalizer)

/** False for a component with an invalid identity, because the next step refuses its configuration. */
const isPostReadDue = ({ object, engine, hooksDue }: ComponentView): boolean =>
  hooksDue.has('postRead') && !('faults' in actingIdentity(object, engine.options))

const hooksDue = ({ engine: { hooks }, hooksRun }: ComponentCall): Set<HookPoint> => {
  return new Set(hookPoints.filter(point => hooks[point].length > 0 && !hooksRun.has(point)))
}

const misconfigured = (faults: readonly string[]): Stage => ({
  stage: 'stopped',
  error: { is: 'configuration', message: faults.join('; ') },
})

/** Puts the new status into the component before it is saved, because hooks and generators read the status there. */
const begun = (subject: ComponentView, status: EngineStatus): ComponentView => {
  const { component, engine } = subject
  const written = {
    path: engine.options.statusPath,
    engine: status,
    hasInventory: engine.options.inventory === undefined,
  }
  const merge = statusChange(component, component, written)
  return { ...subject, status, component: { ...component, status: mergePatched(component.status, merge) } }
}

/**
 * Whether the new status is saved before dependents are written. A new component saves its first status together with its first inventory,
 * because a status write costs the API server as much as several creates. Without a status, the next pass starts again.
 */
const isSavedAtOnce = (subject: ComponentView): boolean =>
  isDeleting(subject.component) || inventoryOf(subject).length > 0

const stageOf = async (subject: ComponentView, looking: Looking): Promise<Stage> => {
  const { component, hooksDue } = subject
  const point = isDeleting(component) ? 'preDelete' : 'preReconcile'
  if (hooksDue.has(point)) return { stage: 'hooks', point }
  return dependentsStage(subject, looking)
}

type Looking = { configuration: Configuration; reached: Reached; call: Gathering }

const dependentsStage = async (subject: ComponentView, looking: Looking): Promise<Stage> => {
  const made = await renderedFor(subject, looking)
  const endingNamespaces = await endingsFor(subject, looking, made)
  const input = { ...(await engineInputOf(subject, looking, made)), endingNamespaces }
  const { requestsInFlight, inventory, fieldOwner } = subject.engine.options
  const { reached, call, configuration } = looking
  const { namespace } = subject.component.metadata
  const isHome = call.isLeftAlone && reached.target.name === localTarget
  const client = sharingInNamespace(reached.target.client, reached.target.name, {
    component: subject.component,
    identity: configuration.identity,
    begun: call.begun,
  })
  const asking = { client, requestsInFlight, ...(isHome && { endingNamespace: namespace }) }
  const now = call.begun.now()
  const read = inventory
    ? await recoveredWorld(input, { ...asking, fieldOwner, now })
    : await worldOf(input, asking, knownBefore(subject.component, reached))
  const dependents = await withWriters(await withPods(read, asking, now), asking, now)
  const isCounted = made && !isDeleting(subject.component)
  return {
    stage: 'dependents',
    digest: reached.digest,
    dependents,
    deleteHooks: isCounted ? deleteHookCount(input.manifests, subject.engine.name) : undefined,
    hasLookedUp: made?.hasLookedUp ?? false,
  }
}

// The namespace controller deletes all objects of a namespace at once. So the RoleBinding of the component's account or its kubeconfig Secret
// may be gone before the component.
type IsEnding = (namespace: string) => Promise<boolean>

/** Reads each namespace once. */
const endingsIn = (cluster: Pick<Reads, 'get'>): IsEnding => {
  const asked = new Map<string, Promise<boolean>>()
  const ask = async (name: string): Promise<boolean> => {
    const found = await cluster.get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name })
    return found !== undefined && isDeleting(found)
  }
  return name => keptOrMade(asked, name, () => ask(name))
}

/** Namespaces of delete hooks that are being deleted. Reads only for a component that is being deleted. */
const endingsFor = async (
  { component, engine }: ComponentView,
  { configuration, reached, call }: Looking,
  made: Rendered | undefined,
): Promise<readonly string[]> => {
  if (!isDeleting(component) || !made) return []
  const hooks = made.manifests.filter(manifest => isDeleteHook(manifest, engine.name))
  const names = [...new Set(hooks.map(hook => hook.metadata.namespace || configuration.deploymentNamespace))]
  const isEnding = reached.target.name === localTarget ? call.isEnding : endingsIn(reached.target.client)
  const areEnding = await Promise.all(names.map(isEnding))
  return names.filter((_, n) => areEnding[n])
}

/** undefined for a deletion that needs no manifests. */
const renderedFor = async (subject: ComponentView, looking: Looking): Promise<Rendered | undefined> => {
  const { engine, component, status } = subject
  const { configuration, reached, call } = looking
  const isNeeded =
    !isDeleting(component) ||
    (!call.isLeftAlone && needsManifests(subject, settingsOf(engine, component, configuration)))
  return isNeeded ? rendered(component, { configuration, reached, status }, call) : undefined
}

const engineInputOf = async (
  subject: ComponentView,
  { configuration, reached, call: { begun, isLeftAlone } }: Looking,
  made: Rendered | undefined,
): Promise<EngineInput> => {
  const { engine, component } = subject
  const isGoing = isDeleting(component)
  return {
    goal: isGoing ? 'delete' : 'apply',
    settings: { ...settingsOf(engine, component, configuration), ...(isLeftAlone && { skipsDeleteHooks: true }) },
    owner: ownerOf(await begun.memory.clusterUid(begun.local), keyOf(component)),
    self: reached.target.name === localTarget ? selfOf(component) : undefined,
    componentDigest: reached.digest,
    on: 'target',
    namespace: configuration.deploymentNamespace,
    manifests: made?.manifests ?? [],
    items: itemsOf(inventoryOf(subject)),
    foreignFinalizers: isGoing ? foreignFinalizers(subject) : [],
    isConfidential: (made ?? reached.secrecy).isConfidential,
  }
}

const selfOf = ({ metadata: { uid = '', namespace = '' } }: KubeObject): EngineInput['self'] => ({ uid, namespace })

/** The stored inventory, from the status or from the definition's inventory adapter. */
const inventoryOf = ({ engine, component, status }: ComponentView): readonly JsonMap[] =>
  engine.options.inventory?.read(component) ?? status.inventory ?? []

const foreignFinalizers = ({ component, engine }: ComponentView): string[] =>
  (component.metadata.finalizers ?? []).filter(name => name !== engine.options.finalizer)

/** A deletion needs manifests only for delete hooks, or to repair dependents while it is blocked. */
const needsManifests = ({ status }: ComponentView, { skipsDeleteHooks, whileBlocked }: EngineSettings): boolean =>
  whileBlocked === 'repair' || ((status.deleteHooks ?? 0) > 0 && !skipsDeleteHooks)

/** Throws if the component is not the cause of the error: the call's time is up, or the local API server fails. */
const troubleIn = (error: unknown, { configuration }: ComponentView): PassError => {
  if (error instanceof ConnectionError && error.loss === 'ended') throw error
  const message = errorText(error)
  if (error instanceof ReferenceMissing) return { is: 'missingReference', message }
  const expected = retriableIn(error)
  if (expected) return { is: 'retriable', message, ...expected }
  if (isConflict(error)) return { is: 'conflict', message, code: 409 }
  const isOfServer = isTrouble(error) && !isUnconverted(error)
  if (isOfServer && configuration?.kubeConfig === undefined) throw error
  return { is: 'plain', message, ...(error instanceof ApiError && { code: error.code }) }
}

/** Adds the status fields of the option `notes`. Undefined fields are removed. */
const noted = (component: KubeObject, reached: Reached, call: ComponentCall): KubeObject => {
  const notes = call.engine.options.notes(componentContext(component, reached, call))
  const status = Object.entries({ ...(isMap(component.status) && component.status), ...notes }).filter(
    ([, value]) => value !== undefined,
  )
  return { ...component, status: Object.fromEntries(status) }
}
