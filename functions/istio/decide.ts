// What istio does next: refuse an Istio that does not count, keep its parts in order, or take everything down. The parts are in parts/,
// what they mean for the Istio is judged in report.ts.
import { istioNames } from '../../shared/api/istio/names.ts'
import { hasFinalizer, isDeleting } from '../../shared/core/object.ts'
import { type Plan, type Step, settled } from '../../shared/core/plan.ts'
import { type PartsRun, runOf, tellingsOf } from './parts/all-parts.ts'
import { appliedConfiguration, appliedText } from './rules/applied-configuration.ts'
import { fieldsInForce, textWithFields } from './rules/applied-fields.ts'
import { istioRefusal, standsForNothing } from './rules/checks.ts'
import type { IstioFinding } from './rules/findings.ts'
import { targetTag } from './rules/version.ts'
import type { World } from './world.ts'

export type IstioPlan = Plan & { readonly phase: Phase }

type Phase =
  /** It is being deleted, and nothing of ours holds it. */
  | { readonly is: 'released' }
  | { readonly is: 'refused'; readonly finding: IstioFinding }
  | { readonly is: 'parts'; readonly run: PartsRun }

export const decide = (world: World, now: Date): IstioPlan => {
  if (isDeleting(world.istio)) return deletion(world, now)
  const finding = istioRefusal(world)
  if (finding) return planOf({ is: 'refused', finding }, [])
  const run = runOf(world, now)
  return planOf({ is: 'parts', run }, [...stepsOf(run), ...annotationSteps(world, run, now)])
}

/** The report says what comes next. */
const planOf = (phase: Phase, steps: readonly Step[]): IstioPlan => ({
  ...{ phase, steps, status: {}, events: [], next: settled },
})

const deletion = (world: World, now: Date): IstioPlan => {
  const { istio } = world
  if (!hasFinalizer(istio, istioNames.finalizer)) return planOf({ is: 'released' }, [])
  const release: Step = { do: 'removeFinalizer', target: istio, finalizer: istioNames.finalizer }
  if (standsForNothing(world)) return planOf({ is: 'released' }, [release])
  const finding = istioRefusal(world)
  if (finding) return planOf({ is: 'refused', finding }, [])
  const run = runOf(world, now)
  return run.isThrough ? planOf({ is: 'released' }, [release]) : planOf({ is: 'parts', run }, stepsOf(run))
}

const stepsOf = ({ parts }: PartsRun): readonly Step[] => parts.flatMap(({ steps }) => steps)

/** Saves what came into force: fields one by one, and all of the spec where there is nothing left to do. */
const annotationSteps = (world: World, run: PartsRun, now: Date): Step[] => {
  const { istio, settings } = world
  const before = appliedConfiguration(istio)
  if ('failed' in before) return []
  const { lastApplied } = istioNames.annotations
  const tellings = tellingsOf(run, { world, results: [], now })
  const isReady = run.isThrough && tellings.every(({ findings = [] }) => findings.length === 0)
  const wanted = { spec: istio.spec, tag: targetTag(settings) }
  const fields = fieldsInForce(tellings.flatMap(({ applied = {} }) => applied))
  const text = isReady ? appliedText(wanted) : textWithFields(before.read, wanted, fields)
  const isSaved = istio.metadata.annotations?.[lastApplied] === text || (!isReady && fields.length === 0)
  return isSaved ? [] : [{ do: 'patch', target: istio, merge: { metadata: { annotations: { [lastApplied]: text } } } }]
}
