// A plan as text for a terminal, 80 columns wide. Pure.
import type { Next } from '../../core/decisions/plan.ts'
import { changeText } from '../../core/json/field-changes.ts'
import { type ObjectRef, refText } from '../../core/objects/object.ts'
import type { PlannedCall } from '../../runtime/planned.ts'
import type { PlannedStep } from '../../runtime/planned-steps.ts'
import { columns, wrapped } from '../start/terminal.ts'

/** The column in which sentences begin. */
const wordsAt = 9

/** An object without a plan, for example because the API server refuses the object. */
type NoPlan = {
  readonly function?: string
  readonly object: string
  readonly is: 'refused'
  readonly says: string
}

export type Planned = PlannedCall | NoPlan

export const noPlan = (ref: ObjectRef, says: string, name?: string): NoPlan => ({
  ...(name !== undefined && { function: name }),
  object: refText(ref),
  is: 'refused',
  says,
})

export const planText = (plan: Planned): string => {
  const head = plan.function === undefined ? plan.object : `${plan.object} (${plan.function})`
  if (plan.is === 'refused') return [head, wrapped(`  no plan: ${plan.says}`, wordsAt, columns)].join('\n')
  if (plan.is === 'gone') return `${head}\n  does not exist`
  if (plan.is === 'suspended') return `${head}\n  is suspended, so nothing is done until espalier resume`
  const lines = [
    ...plan.steps.flatMap(stepLines),
    ...plan.later.map(
      one => `  then ${one.does.padEnd(6)} ${one.object}${'after' in one ? `, after ${one.after.join(', ')}` : ''}`,
    ),
    ...plan.itself.map(change => `  itself ${changeText(change)}`),
    ...plan.events.map(eventLine),
    ...plan.status.filter(({ path }) => isTelling(path)).map(change => `  status ${changeText(change)}`),
    `  next   ${nextText(plan.next)}`,
  ]
  return [head, ...lines].map(line => wrapped(line, wordsAt, columns)).join('\n')
}

export const eventLine = ({ type, reason, message, regarding }: PlannedCall['events'][number]): string =>
  `  event  ${type} ${reason}${regarding ? ` on ${regarding}` : ''}: ${message}`

export const stepLine = ({ does, object, hook, refusal }: PlannedStep): string =>
  `  ${does.padEnd(6)} ${object}${hook ? ` (hook ${hook})` : ''}${refusal ? `: ${refusal}` : ''}`

const stepLines = (step: PlannedStep): string[] => [
  stepLine(step),
  ...(step.does === 'change' ? (step.fields ?? []).map(change => `           ${changeText(change)}`) : []),
  ...managerLines(step),
]

/** For example, `           field managers: helm -> istio`. */
export const managerLines = ({ managers }: PlannedStep): string[] =>
  managers ? [`           field managers: ${managers.before.join(', ') || 'none'} -> ${managers.after.join(', ')}`] : []

/** Whether users need the status field. Inventory, digests and times are only for the engine. */
const isTelling = (path: string): boolean =>
  /^(state|conditions\[\d+\]\.(status|reason|message)|lastOperation\.\w+)$/.test(path)

export const nextText = (next: Next): string => {
  switch (next.is) {
    case 'settled':
      return 'nothing is left to do'
    case 'waiting':
      return `in ${next.seconds} s; waiting: ${next.for}`
    case 'stalled':
      return `nothing until the object changes: ${next.reason}`
    case 'failed':
      return `another try: ${next.reason}`
    case 'again':
      return 'the function is called again as soon as these steps are done'
  }
}
