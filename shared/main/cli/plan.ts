// `espalier plan`: what the functions would do for an object, computed here with the rights of the kubeconfig. Nothing is written.
import { setTimeout as pause } from 'node:timers/promises'
import type { Next } from '../../core/decisions/plan.ts'
import { changeText } from '../../core/json/field-changes.ts'
import { type KubeObject, type ObjectRef, refOf, refText } from '../../core/objects/object.ts'
import { errorText } from '../../core/text/error-text.ts'
import { AccessError, ApiError, isNotServed } from '../../kube/errors.ts'
import type { ReconcileFunction } from '../../runtime/definition.ts'
import type { PlannedCall, PlanSubject } from '../../runtime/planned.ts'
import type { PlannedStep } from '../../runtime/planned-steps.ts'
import { builtLandscape } from '../built-landscape.ts'
import { ownFolder } from '../landscape.ts'
import { columns, wrapped } from '../start/terminal.ts'
import { type Command, type Given, shownAs, UsageFault } from './command.ts'
import { objectsGiven } from './given-files.ts'
import { isCalled } from './kinds.ts'
import { notFoundText } from './named-object.ts'
import type { PlanningProcess } from './planning-process.ts'

export const planCommand: Command = {
  name: 'plan',
  usage: '-f FILE | KIND NAME',
  sentence:
    'Shows what Espalier would do for an object: its steps, the fields that they change, and what it waits for. Writes nothing.',
  options: {
    filename: {
      type: 'string',
      short: 'f',
      value: 'FILE',
      sentence: 'YAML or JSON with objects, or a folder of such files; - reads standard input',
    },
    watch: { type: 'boolean', sentence: 'Plans again every five seconds, until nothing is left to do' },
  },
  examples: ['espalier plan -f component.yaml', 'espalier plan component shop -n shop -o json'],
  run: async given => {
    // Imported only here, because it loads the code of all functions.
    const { planningProcess } = await import('./planning-process.ts')
    const planning = await planningProcess(given.options)
    try {
      const isWatched = given.options.watch !== undefined
      for (let last = ''; ; ) {
        const { plans, leftOut } = await plansOf(given, planning, last === '')
        const sections = [...plans.map(planText), ...leftOutText(leftOut)]
        const text = shownAs(given.options.output, { data: plans, text: sections.join('\n\n') })
        const code = codeOf(plans)
        const isLeft = code === 1 || (code === 0 && plans.some(plan => 'next' in plan && plan.next.is === 'waiting'))
        if (!isWatched || !isLeft) return { text, code }
        if (text !== last) given.print(text)
        last = text
        await pause(watchMilliseconds)
      }
    } finally {
      await planning.end()
    }
  },
}

const watchMilliseconds = 5_000

type Plans = {
  readonly plans: readonly Planned[]
  /** Objects of a file whose kind has no function, such as a ConfigMap. */
  readonly leftOut: readonly string[]
}

const plansOf = async ({ options, words }: Given, planning: PlanningProcess, isFirst: boolean): Promise<Plans> => {
  const { filename } = options
  if (filename === undefined) return { plans: await named(words, planning, isFirst), leftOut: [] }
  if (words.length > 0)
    throw new UsageFault(`expected -f FILE or KIND NAME, found both: -f ${filename} and ${words.join(' ')}`)
  const objects = await objectsGiven(filename)
  const functionsOf = (object: KubeObject) =>
    functionsFor(object.kind, planning).filter(({ kind }) => kind.apiVersion === object.apiVersion)
  const [first] = objects
  if (first && objects.every(object => functionsOf(object).length === 0))
    throw new UsageFault(`${filename}: ${unknownKind(nameOfKind(first), planning)}`)
  const [plans, leftOut]: [Planned[], string[]] = [[], []]
  for (const object of objects) {
    const functions = functionsOf(object)
    if (functions.length > 0) plans.push(...(await plansOrRefusals(functions, object, planning)))
    else if (functionsFor(object.kind, planning).length === 0) leftOut.push(refText(refOf(object)))
    else plans.push(noPlan(refOf(object), unknownKind(nameOfKind(object), planning)))
  }
  return { plans, leftOut }
}

const nameOfKind = ({ apiVersion, kind }: KubeObject): string => `${apiVersion} ${kind}`

/** A refusal of one object or function does not hide the other plans. */
export const plansOrRefusals = (
  functions: readonly ReconcileFunction[],
  object: KubeObject,
  planning: Pick<PlanningProcess, 'inNamespace' | 'plan'>,
): Promise<Planned[]> =>
  planning.inNamespace(object).then(
    placed =>
      oneByOne<Planned>(functions, definition =>
        planning
          .plan(definition, { object: placed })
          .catch(error => noPlan(refOf(placed), refusalText(error), definition.name)),
      ),
    error => [noPlan(refOf(object), refusalText(error))],
  )

/** Throws other errors, which end the command: no other object has a plan if the server is silent, and defects of ours are not refusals. */
const refusalText = (error: unknown): string => {
  const isRefusal = [ApiError, AccessError, UsageFault].some(type => error instanceof type) || isNotServed(error)
  if (!isRefusal) throw error
  return errorText(error)
}

const leftOutText = (objects: readonly string[]): string[] =>
  objects.length === 0 ? [] : [wrapped(`no function works on ${objects.join(', ')}`, 2, columns)]

/** With `--watch`, an object may go after the first plan. */
const named = async (words: readonly string[], planning: PlanningProcess, isFirst: boolean): Promise<PlannedCall[]> => {
  const { functions, kind, key } = await functionsNamed(words, planning, '-f FILE or KIND NAME')
  const plans = await plansBy(functions, { key }, planning)
  if (isFirst && plans.every(({ is }) => is === 'gone')) throw new UsageFault(notFoundText({ ...kind, ...key }))
  return plans
}

/** The functions and the key for the words KIND NAME. */
export const functionsNamed = async (words: readonly string[], planning: PlanningProcess, expected = 'KIND NAME') => {
  const [kind, name, ...others] = words
  if (kind === undefined || name === undefined || others.length > 0)
    throw new UsageFault(`expected ${expected}, found ${words.length === 0 ? 'nothing' : words.join(' ')}`)
  const functions = functionsFor(kind, planning)
  const [first] = functions
  if (!first) throw new UsageFault(unknownKind(kind, planning))
  return { functions, kind: first.kind, key: { name, namespace: await planning.namespaceOf(first.kind) } }
}

export const plansBy = (
  functions: readonly ReconcileFunction[],
  subject: PlanSubject,
  planning: PlanningProcess,
): Promise<PlannedCall[]> => oneByOne(functions, definition => planning.plan(definition, subject))

/** Each plan renders and reads much, so the next one waits. */
const oneByOne = async <Plan>(
  functions: readonly ReconcileFunction[],
  plan: (definition: ReconcileFunction) => Promise<Plan>,
): Promise<Plan[]> => {
  const plans: Plan[] = []
  for (const definition of functions) plans.push(await plan(definition))
  return plans
}

const functionsFor = (asked: string, { functions }: PlanningProcess): ReconcileFunction[] => {
  const [word = ''] = asked.split('.')
  return functions.filter(({ kind }) => isCalled(kind, word))
}

/** If the kind has functions for another version, the sentence names that version. */
const unknownKind = (asked: string, planning: PlanningProcess): string => {
  const { functions } = planning
  const [of] = functionsFor(asked.split(' ').at(-1) ?? '', planning)
  const expected = of
    ? `${of.kind.apiVersion} ${of.kind.kind}`
    : `one of ${[...new Set(functions.map(({ kind }) => kind.kind))].sort().join(', ')}`
  const isElsewhere = builtLandscape && ownFolder(undefined) === undefined
  return `Espalier has no function for ${asked}; expected ${expected}${isElsewhere ? '; functions of your own are found in the folder of their serverless.yml' : ''}`
}

/** 2: there is no plan, a plan has failed or a step is refused. 1: there are steps. */
export const codeOf = (plans: readonly Planned[]): 0 | 1 | 2 => Math.max(0, ...plans.map(codeOfOne)) as 0 | 1 | 2

const codeOfOne = (plan: Planned): 0 | 1 | 2 => {
  if (plan.is === 'refused') return 2
  const { steps, later, next } = plan
  if (['failed', 'stalled'].includes(next.is) || steps.some(({ does }) => does === 'fail')) return 2
  return steps.length + later.length > 0 ? 1 : 0
}

/** The column in which sentences begin. */
const wordsAt = 9

/** An object without a plan, for example because the API server refuses the object. */
type NoPlan = {
  readonly function?: string
  readonly object: string
  readonly is: 'refused'
  readonly says: string
}

type Planned = PlannedCall | NoPlan

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
