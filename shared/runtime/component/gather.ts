// Reads all about a component, in this order: its configuration, its references, the cluster of its dependents, their
// manifests, their live objects. The first error ends the reading and is part of the answer (stage `stopped`). Only if the
// local API server is in trouble or the call's time is up, gather throws: then there is nothing to write into the component's
// status.

import { ownerOf } from '../../component/declared/owner.ts'
import { itemsOf } from '../../component/inventory/stored-inventory.ts'
import { deleteHookCount } from '../../component/removed/delete-hooks.ts'
import type { EngineSettings } from '../../component/settings.ts'
import type { PassError } from '../../component/told/pass-result.ts'
import type { EngineInput } from '../../component/world.ts'
import { errorText } from '../../core/error-text.ts'
import type { JsonMap } from '../../core/json.ts'
import { mergePatched } from '../../core/merge-patch.ts'
import { hasFinalizer, isDeleting, type KubeObject, keyOf } from '../../core/object.ts'
import type { HookPoint } from '../../core/plan.ts'
import { ConnectionError, isConflict, isTrouble, isUnconverted } from '../../kube/errors.ts'
import { RendererBusy } from '../renderer/renderer.ts'
import { type ComponentCall, knownBefore } from './call.ts'
import { type Configuration, configurationOf } from './configuration/configuration.ts'
import { settingsOf } from './configuration/engine-settings.ts'
import type { Engine } from './definition/engine.ts'
import { retriableIn } from './definition/retriable.ts'
import { worldOf } from './observed/cluster-reads.ts'
import { recoveredWorld } from './observed/recovered-items.ts'
import type { Reached } from './reached.ts'
import { ReferenceMissing } from './references/references.ts'
import { noSecrets } from './references/secrecy.ts'
import { type EngineStatus, statusAt, statusChange } from './told/engine-status.ts'
import { entered } from './told/new-revision.ts'
import type { ComponentView, EngineWorld, Stage } from './world.ts'

export const gather = async (engine: Engine, object: KubeObject, call: ComponentCall): Promise<EngineWorld> => {
  const world = await gathered(engine, object, call)
  return { ...world, secrecy: call.secrecy }
}

const gathered = async (engine: Engine, object: KubeObject, call: ComponentCall): Promise<EngineWorld> => {
  const unread = { engine, object, hooksDue: hooksDue(engine, call), secrecy: noSecrets }
  let subject: ComponentView = { ...unread, component: object, status: statusAt(object, engine.options.statusPath) }
  try {
    const component = await call.afterPostRead(object)
    subject = { ...subject, component, status: statusAt(component, engine.options.statusPath) }
    if (isDeleting(component) && !isHeld(subject)) return { ...subject, stage: 'released' }
    const configured = configurationOf(component, engine.options)
    if ('faults' in configured) return { ...subject, ...misconfigured(configured.faults) }
    const { configuration } = configured
    subject = { ...subject, configuration }
    if (!isDeleting(component) && configuration.isSuspended) return { ...subject, stage: 'suspended' }
    const reached = await call.reach(component, configuration)
    const { digest } = reached
    if (!isDeleting(component)) subject = { ...subject, component: call.noted(component, reached) }
    if (!isHeld(subject)) return { ...subject, stage: 'unheld' }
    const isOther = digest !== subject.status.lastProcessingDigest || digest !== subject.status.processingDigest
    if (isOther) subject = begun(subject, entered(subject, digest, call.call.now()))
    if (isOther && isSavedAtOnce(subject)) return { ...subject, stage: 'entering', digest }
    return { ...subject, ...(await stageOf(subject, { configuration, reached, call })) }
  } catch (error) {
    if (error instanceof RendererBusy)
      return { ...subject, stage: 'postponed', message: error.message, seconds: error.seconds }
    return { ...subject, stage: 'stopped', error: troubleIn(error, subject) }
  }
}

/** It has our finalizer. */
const isHeld = ({ component, engine }: ComponentView): boolean => hasFinalizer(component, engine.options.finalizer)

const hooksDue = ({ hooks }: Engine, { hooksDone }: ComponentCall): Set<HookPoint> => {
  const points = ['preReconcile', 'postReconcile', 'preDelete', 'postDelete'] as const
  return new Set(points.filter(point => hooks[point].length > 0 && !hooksDone.has(point)))
}

const misconfigured = (faults: readonly string[]): Stage => ({
  stage: 'stopped',
  error: { is: 'configuration', message: faults.join('; ') },
})

/** The component with the new status, though it is not saved yet: hooks and generators read the status from the component. */
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
 * The first status of a new component is not saved by itself but together with its first inventory, since each status write
 * costs the API server as much as several creations. Without dependents nothing can be lost meanwhile: a pass that finds no
 * status begins anew.
 */
const isSavedAtOnce = (subject: ComponentView): boolean =>
  isDeleting(subject.component) || inventoryOf(subject).length > 0

const stageOf = async (subject: ComponentView, looking: Looking): Promise<Stage> => {
  const { component, hooksDue } = subject
  const point = isDeleting(component) ? 'preDelete' : 'preReconcile'
  if (hooksDue.has(point)) return { stage: 'hooks', digest: looking.reached.digest, point }
  return dependentsStage(subject, looking)
}

type Looking = { configuration: Configuration; reached: Reached; call: ComponentCall }

const dependentsStage = async (subject: ComponentView, looking: Looking): Promise<Stage> => {
  const { input, isRendered } = await engineInputOf(subject, looking)
  const { requestsInFlight, inventory, fieldOwner } = subject.engine.options
  const { reached, call } = looking
  const asking = { client: reached.target.client, requestsInFlight }
  const dependents = inventory
    ? await recoveredWorld(input, { ...asking, fieldOwner, now: call.call.now() })
    : await worldOf(input, asking, knownBefore(subject.component, reached))
  const deleteHooks = isRendered ? deleteHookCount(input.manifests, subject.engine.name) : undefined
  return { stage: 'dependents', digest: reached.digest, dependents, deleteHooks }
}

const engineInputOf = async (
  subject: ComponentView,
  looking: Looking,
): Promise<{ input: EngineInput; isRendered: boolean }> => {
  const { engine, component, status } = subject
  const { configuration, reached, call } = looking
  const settings = settingsOf(engine, component, configuration)
  const isGoing = isDeleting(component)
  const isRendered = !isGoing || needsManifests(subject, settings)
  const manifests = isRendered ? await call.manifests(component, { configuration, reached, status }) : []
  const input: EngineInput = {
    wish: isGoing ? 'delete' : 'apply',
    settings,
    owner: ownerOf(await call.call.memory.clusterUid(call.call.local), keyOf(component)),
    componentDigest: reached.digest,
    on: 'target',
    namespace: configuration.deploymentNamespace,
    manifests,
    items: itemsOf(inventoryOf(subject)),
    foreignFinalizers: isGoing ? foreignFinalizers(subject) : [],
    isConfidential: call.secrecy.isConfidential,
  }
  return { input, isRendered: isRendered && !isGoing }
}

/** From the status, or from where the definition's inventory adapter keeps it. */
const inventoryOf = ({ engine, component, status }: ComponentView): readonly JsonMap[] =>
  engine.options.inventory?.read(component) ?? status.inventory ?? []

const foreignFinalizers = ({ component, engine }: ComponentView): string[] =>
  (component.metadata.finalizers ?? []).filter(name => name !== engine.options.finalizer)

/** At deletion manifests are needed only for delete hooks, or to repair dependents while the deletion is blocked. */
const needsManifests = ({ status }: ComponentView, { skipsDeleteHooks, whileBlocked }: EngineSettings): boolean =>
  whileBlocked === 'repair' || ((status.deleteHooks ?? 0) > 0 && !skipsDeleteHooks)

/** Throws if the component is not at fault: the call's time is up, or the local API server is in trouble. */
const troubleIn = (error: unknown, { configuration }: ComponentView): PassError => {
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
