// Looks at a component as far as it can be looked at: its configuration, what it refers to, the cluster of its
// dependents, what they shall be, what they are. What goes wrong on the way is part of the answer, not an exception;
// only when the API server or the time of the call is at fault there is nothing to be said of the component.

import { ownerOf } from '../../component/declared/owner.ts'
import { itemsOf } from '../../component/inventory/stored-inventory.ts'
import { deleteHookCount } from '../../component/removed/delete-hooks.ts'
import type { Settings } from '../../component/settings.ts'
import type { Trouble } from '../../component/told/pass-result.ts'
import type { Question } from '../../component/world.ts'
import { errorText } from '../../core/error-text.ts'
import type { JsonMap } from '../../core/json.ts'
import { mergePatched } from '../../core/merge-patch.ts'
import { hasFinalizer, isDeleting, type KubeObject, keyOf } from '../../core/object.ts'
import type { HookPoint } from '../../core/plan.ts'
import { ConnectionError, isConflict, isTrouble, isUnconverted } from '../../kube/errors.ts'
import { RendererBusy } from '../renderer/renderer.ts'
import { type Configuration, configurationOf } from './configuration/configuration.ts'
import { settingsOf } from './configuration/engine-settings.ts'
import type { Engine } from './definition/engine.ts'
import { retriableIn } from './definition/retriable.ts'
import { worldOf } from './observed/cluster-reads.ts'
import { recovered } from './observed/recovered-items.ts'
import { ReferenceMissing } from './references/references.ts'
import { noSecrets } from './references/secrecy.ts'
import type { ComponentScope } from './scope.ts'
import { type EngineStatus, statusAt, statusChange } from './told/engine-status.ts'
import { entered } from './told/new-revision.ts'
import type { Stage, Subject, World } from './world.ts'

export const gather = async (engine: Engine, object: KubeObject, scope: ComponentScope): Promise<World> => {
  const world = await gathered(engine, object, scope)
  return { ...world, secrecy: scope.secrecy }
}

const gathered = async (engine: Engine, object: KubeObject, scope: ComponentScope): Promise<World> => {
  const unread = { engine, object, hooksDue: hooksDue(engine, scope), secrecy: noSecrets }
  let subject: Subject = { ...unread, component: object, status: statusAt(object, engine.options.statusPath) }
  try {
    const component = await scope.afterReading(object)
    subject = { ...subject, component, status: statusAt(component, engine.options.statusPath) }
    if (isDeleting(component) && !isHeld(subject)) return { ...subject, stage: 'released' }
    const configured = configurationOf(component, engine.options)
    if ('faults' in configured) return { ...subject, ...misconfigured(configured.faults) }
    const { configuration } = configured
    subject = { ...subject, configuration }
    if (!isDeleting(component) && configuration.isSuspended) return { ...subject, stage: 'suspended' }
    const digest = await scope.digest(component, configuration)
    await scope.reachTarget(component, configuration)
    if (!isDeleting(component)) subject = { ...subject, component: scope.noted(component) }
    if (!isHeld(subject)) return { ...subject, stage: 'unheld' }
    const isOther = digest !== subject.status.lastProcessingDigest || digest !== subject.status.processingDigest
    if (isOther) subject = begun(subject, entered(subject, digest, scope.now()))
    if (isOther && isSavedAtOnce(subject)) return { ...subject, stage: 'entering', digest }
    return { ...subject, ...(await stageOf(subject, { configuration, digest, scope })) }
  } catch (error) {
    if (error instanceof RendererBusy)
      return { ...subject, stage: 'postponed', message: error.message, seconds: error.seconds }
    return { ...subject, stage: 'stopped', trouble: troubleIn(error, subject) }
  }
}

/** By our finalizer. */
const isHeld = ({ component, engine }: Subject): boolean => hasFinalizer(component, engine.options.finalizer)

const hooksDue = ({ hooks }: Engine, { hooksDone }: ComponentScope): Set<HookPoint> => {
  const points = ['preReconcile', 'postReconcile', 'preDelete', 'postDelete'] as const
  return new Set(points.filter(point => hooks[point].length > 0 && !hooksDone.has(point)))
}

const misconfigured = (faults: readonly string[]): Stage => ({
  stage: 'stopped',
  trouble: { is: 'configuration', message: faults.join('; ') },
})

/** As it will be once the status is saved: hooks and generators look into the component itself. */
const begun = (subject: Subject, status: EngineStatus): Subject => {
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
 * Without dependents there is nothing yet that may be lost: what a new component begins with is saved together with its first
 * inventory, as each write of a status costs the API server as much as several creations. Until then every pass begins it anew.
 */
const isSavedAtOnce = (subject: Subject): boolean => isDeleting(subject.component) || inventoryOf(subject).length > 0

const stageOf = async (subject: Subject, looking: Looking): Promise<Stage> => {
  const { component, hooksDue } = subject
  const point = isDeleting(component) ? 'preDelete' : 'preReconcile'
  if (hooksDue.has(point)) return { stage: 'hooks', digest: looking.digest, point }
  return dependentsStage(subject, looking)
}

type Looking = { configuration: Configuration; digest: string; scope: ComponentScope }

const dependentsStage = async (subject: Subject, looking: Looking): Promise<Stage> => {
  const { question, isRendered } = await questionOf(subject, looking)
  const { requestsInFlight } = subject.engine.options
  const asking = { client: looking.scope.target(), requestsInFlight }
  const { inventory } = subject.engine.options
  const basis = inventory ? await recovered(question, asking, looking.scope.now()) : undefined
  const known = basis?.found ?? looking.scope.knownBefore(subject.component)
  const dependents = await worldOf(basis ?? question, asking, known)
  const deleteHooks = isRendered ? deleteHookCount(question.manifests, subject.engine.name) : undefined
  return { stage: 'dependents', digest: looking.digest, dependents, deleteHooks }
}

const questionOf = async (subject: Subject, looking: Looking): Promise<{ question: Question; isRendered: boolean }> => {
  const { engine, component, status } = subject
  const { configuration, digest, scope } = looking
  const settings = settingsOf(engine, component, configuration)
  const isGoing = isDeleting(component)
  const isRendered = !isGoing || needsManifests(subject, settings)
  const manifests = isRendered ? await scope.manifests(component, { configuration, digest, status }) : []
  const question: Question = {
    wish: isGoing ? 'delete' : 'apply',
    settings,
    owner: ownerOf(await scope.clusterUid(), keyOf(component)),
    componentDigest: digest,
    on: 'target',
    namespace: configuration.deploymentNamespace,
    manifests,
    items: itemsOf(inventoryOf(subject)),
    foreignFinalizers: isGoing ? foreignFinalizers(subject) : [],
    isConfidential: scope.secrecy.isConfidential,
  }
  return { question, isRendered: isRendered && !isGoing }
}

/** As it is stored, wherever that is. */
const inventoryOf = ({ engine, component, status }: Subject): readonly JsonMap[] =>
  engine.options.inventory?.read(component) ?? status.inventory ?? []

const foreignFinalizers = ({ component, engine }: Subject): string[] =>
  (component.metadata.finalizers ?? []).filter(name => name !== engine.options.finalizer)

/** At deletion only delete hooks are applied, unless dependents are kept as declared while something blocks it. */
const needsManifests = ({ status }: Subject, { skipsDeleteHooks, whileBlocked }: Settings): boolean =>
  whileBlocked === 'repair' || ((status.deleteHooks ?? 0) > 0 && !skipsDeleteHooks)

/** Throws on what is no fault of the component: the time is up, or our own API server is in trouble. */
const troubleIn = (error: unknown, { configuration }: Subject): Trouble => {
  if (error instanceof ConnectionError && error.loss === 'ended') throw error
  const message = errorText(error)
  if (error instanceof ReferenceMissing) return { is: 'missingReference', message }
  const expected = retriableIn(error)
  if (expected) return { is: 'retriable', message, ...expected }
  if (isConflict(error)) return { is: 'conflict', message }
  const isOfServer = isTrouble(error) && !isUnconverted(error)
  if (isOfServer && configuration?.kubeConfig === undefined) throw error
  return { is: 'plain', message }
}
