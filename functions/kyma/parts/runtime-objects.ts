// Parts for objects that every runtime has: the definitions of our kinds and the pull Secret, both copied from the control plane, the namespace
// of copy and catalogue, and the copy of the Kyma. The spec of the copy belongs to the owner of the runtime; our labels and annotations
// follow the Kyma. copyStatusSteps writes the copy's status after the Kyma's status.
import type { EventNote, Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import { faultTexts, stepFaults } from '../../../shared/core/decisions/steps.ts'
import { mapOrEmpty, sameJson } from '../../../shared/core/json/json.ts'
import { mergePatchTo } from '../../../shared/core/json/merge-patch.ts'
import { isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'
import { runtimeCrdNames, syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import {
  copyMetadata,
  copyStatus,
  kymaCopy,
  runtimeCrd,
  runtimeNamespace,
  runtimePullSecret,
} from '../desired/runtime-objects.ts'
import { copyNotWritten, kymaInstalled } from '../reasons.ts'
import { isControlPlane, isEstablished, isServed, type RuntimeThere } from '../rules/runtime.ts'
import type { World } from '../world.ts'
import { faultsInNamespace, inRuntime, isPossible, type KymaPart, runtimePart, type WorldWithRuntime } from './part.ts'

const names = Object.values(runtimeCrdNames)

/** API servers serve a kind within moments after its definition is established. */
const servedSoonSeconds = 1

export const runtimeCrds = runtimePart({
  name: 'runtime-crds',
  condition: 'CRDsSync',
  steps: crdSteps,
  trouble: (world, results) => {
    const faults = [...crdsMissing(world), ...faultTexts(results)]
    return faults.length === 0 ? undefined : `could not sync CRDs: ${faults.join('; ')}`
  },
  status: ({ runtime }) => (areServed(runtime) ? 'True' : 'Unknown'),
  // An established definition does not change any more, so no event arrives when the API server begins to serve the kind.
  againSeconds: ({ runtime }) =>
    names.every(name => isEstablished(runtime, name)) && !areServed(runtime) ? servedSoonSeconds : undefined,
})

const areServed = (runtime: RuntimeThere): boolean => names.every(name => isServed(runtime, name))

/** No steps if the runtime is the control plane, which has its own definitions. */
function crdSteps({ source, runtime }: WorldWithRuntime): Step[] {
  if (isControlPlane(runtime, source)) return []
  return source.crds.map(runtimeCrd).flatMap(wanted => {
    const live = runtime.crds.find(({ metadata }) => metadata.name === wanted.metadata.name)
    return live && isCrdAsWanted(live, wanted) ? [] : [stepTo(wanted, live)]
  })
}

/** First removes a conversion webhook of another program, because API servers refuse a webhook with the strategy None. */
const stepTo = (object: KubeObject, live: KubeObject | undefined): Step =>
  live && mapOrEmpty(mapOrEmpty(live.spec).conversion).webhook
    ? { do: 'patch', target: live, merge: { spec: { conversion: { strategy: 'None', webhook: null } } } }
    : { do: 'apply', object, force: true }

const isCrdAsWanted = (live: KubeObject, wanted: KubeObject): boolean =>
  sameJson(live.spec, wanted.spec) &&
  Object.entries(wanted.metadata.labels ?? {}).every(([label, value]) => live.metadata.labels?.[label] === value)

const crdsMissing = ({ source }: World): string[] =>
  names
    .filter(name => !source.crds.some(({ metadata }) => metadata.name === name))
    .map(name => `the control plane has no CustomResourceDefinition ${name}`)

export const runtimeNamespacePart: KymaPart = {
  name: 'runtime-namespace',
  steps: world => {
    const object = runtimeNamespace(syncNamespace(world.kyma))
    return isPossible(world) && !isLabelled(world, object.metadata.labels)
      ? inRuntime(world, [{ do: 'apply', object, force: true }])
      : []
  },
  reports: (_, results) => {
    const [fault] = faultTexts(results)
    return fault === undefined ? {} : { trouble: { text: `could not prepare the runtime: ${fault}`, needs: 'outside' } }
  },
}

const isLabelled = ({ runtime }: WorldWithRuntime, labels: Record<string, string> = {}): boolean =>
  runtime.namespace !== undefined &&
  Object.entries(labels).every(([label, value]) => runtime.namespace?.metadata.labels?.[label] === value)

export const kymaCopyPart: KymaPart = {
  name: 'kyma-copy',
  steps: world => (isPossible(world) ? inRuntime(world, copySteps(world), { order: 'content' }) : []),
  reports: (world, results) => {
    const faults = faultsInNamespace(world, results)
    const reported = faults.length === 0 ? results.filter(({ error }) => !error) : results
    const events = reported.flatMap(copyEvents)
    return faults.length === 0
      ? { events }
      : { events, trouble: { text: `could not write the copy of the Kyma: ${faults.join('; ')}`, needs: 'outside' } }
  },
}

const copySteps = ({ kyma, runtime }: WorldWithRuntime): Step[] => {
  if (!isServed(runtime, runtimeCrdNames.kymas)) return []
  const { copy } = runtime
  if (!copy) return [{ do: 'create', object: kymaCopy(kyma), isOfNewKind: true }]
  const merge = isDeleting(copy) ? {} : metadataPatch(copy, kyma)
  return Object.keys(merge).length > 0 ? [{ do: 'patch', target: copy, merge: { metadata: merge } }] : []
}

const metadataPatch = ({ metadata }: Kyma, kyma: Kyma): Record<string, unknown> => {
  const wanted = copyMetadata(kyma)
  const labels = differing(metadata.labels, wanted.labels)
  const annotations = differing(metadata.annotations, wanted.annotations)
  return { ...(labels && { labels }), ...(annotations && { annotations }) }
}

type Texts = Readonly<Record<string, string | undefined>>

/** The patch of our labels or annotations. undefined: no label or annotation differs. */
const differing = (before: Texts = {}, wanted: Texts): Record<string, string | null> | undefined => {
  const changes = Object.entries(wanted).filter(([name, value]) => before[name] !== value)
  return changes.length === 0 ? undefined : Object.fromEntries(changes.map(([name, value]) => [name, value ?? null]))
}

const copyEvents = ({ step, error }: StepResult): EventNote[] => {
  if (error?.isConflict) return []
  const reason = step.do === 'create' ? 'RemoteInstallation' : 'MetadataSynchronization'
  if (error) return [copyNotWritten(reason, error.message)]
  return step.do === 'create' ? [kymaInstalled] : []
}

/** Copies the Kyma's status to the copy. `results` has the copy if this pass created it. A copy in deletion does not change. */
export const copyStatusSteps = (world: World, status: Kyma['status'], results: readonly StepResult[]): Step[] => {
  const copy = copyAfter(world, results)
  if (!copy || isDeleting(copy)) return []
  const { generation = 1 } = copy.metadata
  const wanted = copyStatus(status ?? {}, { namespace: syncNamespace(world.kyma), generation })
  const merge = mergePatchTo(copy.status ?? {}, wanted) as Record<string, unknown>
  if (Object.keys(merge).length === 0) return []
  return inRuntime(world, [{ do: 'patch', target: copy, merge: { status: merge }, subresource: 'status' }])
}

const copyAfter = ({ runtime }: World, results: readonly StepResult[]): Kyma | undefined => {
  if (!('copy' in runtime)) return undefined
  const written = results.findLast(({ step, object }) => step.on !== undefined && object?.kind === 'Kyma')
  return (written?.object as Kyma | undefined) ?? runtime.copy
}

export const copyStatusEvents = (results: readonly StepResult[]): EventNote[] =>
  stepFaults(results).map(({ message }) => copyNotWritten('StatusSynchronization', message))

export const pullSecret = runtimePart({
  name: 'pull-secret',
  condition: 'SKRImagePullSecretSync',
  order: 'content',
  isWanted: ({ settings }) => settings.pullSecret !== undefined,
  steps: secretSteps,
  trouble: (world, results) => {
    const [fault] = [...secretMissing(world), ...faultTexts(results)]
    return fault === undefined ? undefined : `could not sync image pull secret: ${fault}`
  },
  status: () => 'True',
})

function secretSteps({ kyma, runtime, source }: WorldWithRuntime): Step[] {
  if (!source.pullSecret) return []
  const object = runtimePullSecret(source.pullSecret, syncNamespace(kyma))
  const live = runtime.pullSecret
  const isThere = live !== undefined && sameJson(live.data, object.data) && live.type === object.type
  return isThere ? [] : [{ do: 'apply', object, force: true }]
}

const secretMissing = ({ settings, source }: World): string[] =>
  source.pullSecret ? [] : [`the control plane has no Secret ${settings.pullSecret}`]
