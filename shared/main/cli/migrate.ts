// `espalier migrate`: what Espalier takes over with an object of a Go operator: finalizers, field managers, owner ids. Of all other changes, only
// the number is shown. `--apply` calls the object's functions once, as a host does.
import type { Outcome } from '../../core/decisions/outcome.ts'
import { suspensionOf } from '../../core/decisions/suspension.ts'
import { changeText, type FieldChange, fieldChanges } from '../../core/json/field-changes.ts'
import { isMap } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import type { PlannedCall } from '../../runtime/planned.ts'
import type { PlannedStep } from '../../runtime/planned-steps.ts'
import { columns, wrapped } from '../start/terminal.ts'
import { type CheckFinding, goOperatorFindings } from './check-findings.ts'
import { type Command, UsageFault } from './command.ts'
import { commandFor, notFoundText } from './named-object.ts'
import { codeOf, eventLine, functionsNamed, managerLines, nextText, plansBy, stepLine } from './plan.ts'

export const migrateCommand: Command = {
  name: 'migrate',
  usage: 'KIND NAME',
  sentence:
    'Shows what Espalier takes over when it adopts an object of a Go operator: finalizers, field managers, owner ids. Writes only with --apply.',
  options: {
    apply: {
      type: 'boolean',
      sentence: 'Calls the functions of the object once, with your rights; then hosts continue',
    },
  },
  examples: ['espalier migrate istio default -n kyma-system', 'espalier migrate garden garden --apply'],
  run: async ({ options, words }) => {
    const { planningProcess } = await import('./planning-process.ts')
    const planning = await planningProcess(options)
    try {
      const { functions, kind, key } = await functionsNamed(words, planning)
      const object = await planning.local.get({ ...kind, ...key })
      if (!object) throw new UsageFault(notFoundText({ ...kind, ...key }))
      const operators = await operatorsOf(object, planning.local)
      const plans = await plansBy(functions, { key }, planning)
      const found = { object, operators, plans }
      const code = codeOf(plans)
      if (options.apply === undefined) return { data: { operators, plans }, text: takeoverText(found), code }
      const fault = applyFault(found)
      if (fault !== undefined) throw new UsageFault(fault)
      const done: Done[] = []
      for (const one of functions) done.push({ function: one.name, outcome: await planning.call(one, key) })
      return {
        data: { operators, plans, done },
        text: doneText(found, done),
        code: done.some(({ outcome }) => outcome.outcome === 'failed') ? 2 : 0,
      }
    } finally {
      await planning.end()
    }
  },
}

type Takeover = {
  readonly object: KubeObject
  readonly operators: readonly CheckFinding[]
  readonly plans: readonly PlannedCall[]
}

type Done = { readonly function: string; readonly outcome: Outcome }

const operatorsOf = async ({ kind }: KubeObject, local: { list: ListDeployments }): Promise<CheckFinding[]> =>
  goOperatorFindings(await local.list({ apiVersion: 'apps/v1', kind: 'Deployment' }), kind).filter(
    ({ is }) => is !== 'ok',
  )

type ListDeployments = (query: { apiVersion: string; kind: string }) => Promise<KubeObject[]>

/** Why `--apply` is refused: another program still writes the same fields, the object is suspended, or the takeover would be incomplete. */
const applyFault = ({ object, operators, plans }: Takeover): string | undefined => {
  const [operator] = operators
  if (operator) return `${operator.about}: ${operator.says}`
  if (suspensionOf(object) !== undefined) return `it is suspended: ${commandFor('resume', object)} first`
  const refused = plans.flatMap(({ steps }) => steps.find(({ does }) => does === 'fail') ?? [])[0]
  return (
    refused && `nothing was written, because the API server would refuse a step: ${refused.object}: ${refused.refusal}`
  )
}

const takeoverText = ({ object, operators, plans }: Takeover): string => {
  const { finalizers = [] } = object.metadata
  const first = [
    ...operators.map(({ about, says }) => `${about}: ${says}`),
    `finalizers now: ${finalizers.join(', ') || 'none'}`,
  ].map(line => wrapped(line, 2, columns))
  const last = plans.some(({ steps }) => steps.some(step => othersOf(step) > 0))
    ? ['', wrapped(`other fields: ${commandFor('plan', object)}`, 2, columns)]
    : []
  return [...first, ...plans.map(planLines), ...last].join('\n')
}

const planLines = ({ object, function: name, is, itself, steps, events, next }: PlannedCall): string => {
  const lines = [
    ...itself.map(change => `  itself ${changeText(change)}`),
    ...steps.flatMap(stepLines),
    ...events.map(eventLine),
    `  next   ${is === 'suspended' ? 'nothing, until espalier resume' : nextText(next)}`,
  ]
  return [`${object} (${name})`, ...lines.map(line => wrapped(line, 9, columns))].join('\n')
}

const stepLines = (step: PlannedStep): string[] => [
  stepLine(step),
  ...managerLines(step),
  ...ownersOf(step).map(change => `           ${changeText(change)}`),
  ...(othersOf(step) > 0 ? [`           other fields: ${othersOf(step)}`] : []),
]

const isOwner = ({ path }: FieldChange): boolean => /\/owner-id"\]$|^metadata\.(ownerReferences|finalizers)/.test(path)

/** If the object had no annotations or labels, the change of the whole map is one change. It is split into one change per key. */
const eachKey = (change: FieldChange): FieldChange[] =>
  isMap(change.after) && change.before === undefined && /^metadata\.(annotations|labels)$/.test(change.path)
    ? fieldChanges({}, change.after, change.path)
    : [change]

const changesOf = ({ does, fields = [] }: PlannedStep): readonly FieldChange[] =>
  does === 'change' ? fields.flatMap(eachKey) : []

const ownersOf = (step: PlannedStep): FieldChange[] => changesOf(step).filter(isOwner)
const othersOf = (step: PlannedStep): number => changesOf(step).length - ownersOf(step).length

const doneText = ({ object }: Takeover, done: readonly Done[]): string =>
  [
    ...done.map(
      ({ function: name, outcome: { outcome, reason } }) => `${name}: ${outcome}${reason ? `, ${reason}` : ''}`,
    ),
    `Hosts now continue with the object; ${commandFor('why', object)}`,
  ]
    .map(line => wrapped(line, 2, columns))
    .join('\n')
