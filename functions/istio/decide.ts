// Decides the next steps for an Istio: refuse it, run its parts, or remove the mesh. The steps of the parts are already known, because
// gather runs the parts stage by stage while it reads.
import { istioNames } from '../../shared/api/istio/names.ts'
import { type Plan, type Step, settled } from '../../shared/core/decisions/plan.ts'
import { hasFinalizer, isDeleting } from '../../shared/core/objects/object.ts'
import { isThrough, type PartsRun, type RunWorld } from './parts/all-parts.ts'
import {
  appliedConfiguration,
  appliedText,
  fieldsInForce,
  isAllInForce,
  textWithFields,
} from './rules/applied-configuration.ts'
import { hasNoMesh, istioRefusal } from './rules/checks.ts'
import type { IstioFinding } from './rules/findings.ts'
import { targetTag } from './rules/version.ts'

export type IstioPlan = Plan & { readonly phase: Phase }

type Phase =
  /** The Istio is being deleted and everything is removed. At most the finalizer is left. */
  | { readonly is: 'released' }
  | { readonly is: 'refused'; readonly finding: IstioFinding }
  | { readonly is: 'parts'; readonly run: PartsRun }

export const decide = (world: RunWorld): IstioPlan => {
  if (isDeleting(world.istio)) return deletion(world)
  const finding = istioRefusal(world)
  if (finding) return planOf({ is: 'refused', finding }, [])
  return planOf({ is: 'parts', run: world.run }, [...stepsOf(world.run), ...annotationSteps(world)])
}

const planOf = (phase: Phase, steps: readonly Step[]): IstioPlan => ({
  phase,
  steps,
  status: {},
  events: [],
  next: settled,
})

const deletion = (world: RunWorld): IstioPlan => {
  const { istio, run } = world
  if (!hasFinalizer(istio, istioNames.finalizer)) return planOf({ is: 'released' }, [])
  const release: Step = { do: 'removeFinalizer', target: istio, finalizer: istioNames.finalizer }
  if (hasNoMesh(world)) return planOf({ is: 'released' }, [release])
  const finding = istioRefusal(world)
  if (finding) return planOf({ is: 'refused', finding }, [])
  return isThrough(run) ? planOf({ is: 'released' }, [release]) : planOf({ is: 'parts', run }, stepsOf(run))
}

const stepsOf = ({ parts }: PartsRun): readonly Step[] => parts.flatMap(({ steps }) => steps)

/**
 * Writes the annotation of the last applied configuration: single fields as soon as they are in force, the whole spec when nothing is left
 * to do.
 */
const annotationSteps = (world: RunWorld): Step[] => {
  const { istio, settings, run } = world
  const before = appliedConfiguration(istio)
  if ('failed' in before) return []
  const { lastApplied } = istioNames.annotations
  const verdicts = run.parts.map(({ part }) => part.inForce(world))
  const isReady = isThrough(run) && isAllInForce(verdicts)
  const wanted = { spec: istio.spec, tag: targetTag(settings) }
  const fields = fieldsInForce(verdicts)
  const text = isReady ? appliedText(wanted) : textWithFields(before.read, wanted, fields)
  const isSaved = istio.metadata.annotations?.[lastApplied] === text || (!isReady && fields.length === 0)
  return isSaved ? [] : [{ do: 'patch', target: istio, merge: { metadata: { annotations: { [lastApplied]: text } } } }]
}
