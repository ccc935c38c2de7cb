// The copy of the Kyma in the runtime. The spec of the copy belongs to the owner of the runtime; our labels and annotations follow the
// Kyma. copyStatusSteps writes the copy's status after the Kyma's status.
import type { EventNote, Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import { faultTexts, stepFaults } from '../../../shared/core/decisions/steps.ts'
import { mergePatchTo } from '../../../shared/core/json/merge-patch.ts'
import { isDeleting } from '../../../shared/core/objects/object.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'
import { runtimeCrdNames, syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import { copyMetadata, copyStatus, kymaCopy } from '../desired/kyma-copy.ts'
import { copyNotWritten, kymaInstalled } from '../reasons.ts'
import { isServed } from '../rules/served.ts'
import type { World } from '../world.ts'
import type { KymaPart } from './part.ts'
import { inRuntime, isPossible, type WorldWithRuntime } from './runtime-steps.ts'

export const kymaCopyPart: KymaPart = {
  name: 'kyma-copy',
  steps: world => (isPossible(world) ? inRuntime(world, copySteps(world), { order: 'content' }) : []),
  reports: (_, results) => {
    const faults = faultTexts(results)
    const events = results.flatMap(copyEvents)
    return faults.length === 0
      ? { events }
      : { events, trouble: { text: `could not write the copy of the Kyma: ${faults.join('; ')}`, needs: 'outside' } }
  },
}

const copySteps = ({ kyma, runtime }: WorldWithRuntime): Step[] => {
  if (!isServed(runtime, runtimeCrdNames.kymas)) return []
  const { copy } = runtime
  if (!copy) return runtime.namespace ? [{ do: 'create', object: kymaCopy(kyma), isOfNewKind: true }] : []
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
