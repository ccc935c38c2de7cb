// `espalier plan`: what the functions would do for an object, decided here with the rights of the kubeconfig, and nothing written.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { parseAllDocuments } from 'yaml'
import { isMap } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import type { ReconcileFunction } from '../../runtime/definition.ts'
import type { PlannedCall, PlanSubject } from '../../runtime/planned.ts'
import { type Command, type Given, shownAs, UsageFault } from './command.ts'
import { isCalled } from './kinds.ts'
import { planText } from './plan-text.ts'
import type { PlanningProcess } from './planning-process.ts'

export const planCommand: Command = {
  name: 'plan',
  usage: '-f FILE | KIND NAME',
  sentence:
    'Shows what Espalier would do for an object: steps with the fields they change, what follows, and what is waited for. Nothing is written.',
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
    // Loaded only now: it brings the code of all functions.
    const { planningProcess } = await import('./planning-process.ts')
    const planning = await planningProcess(given.options)
    try {
      const isWatched = given.options.watch !== undefined
      for (let last = ''; ; ) {
        const plans = await plansOf(given, planning)
        const [text, code] = [
          shownAs(given.options.output, plans, () => plans.map(planText).join('\n\n')),
          codeOf(plans),
        ]
        const isLeft = code === 1 || (code === 0 && plans.some(({ next }) => next.is === 'waiting'))
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

const plansOf = async ({ options, words }: Given, planning: PlanningProcess): Promise<PlannedCall[]> => {
  const { filename } = options
  if (filename === undefined) return named(words, planning)
  if (words.length > 0)
    throw new UsageFault(`expected -f FILE or KIND NAME, found both: -f ${filename} and ${words.join(' ')}`)
  const plans: PlannedCall[] = []
  for (const object of await objectsIn(filename)) {
    const functions = functionsFor(object.kind, planning).filter(({ kind }) => kind.apiVersion === object.apiVersion)
    if (functions.length === 0) throw new UsageFault(unknownKind(`${object.apiVersion} ${object.kind}`, planning))
    plans.push(...(await plansBy(functions, { object: await planning.inNamespace(object) }, planning)))
  }
  return plans
}

const named = async (words: readonly string[], planning: PlanningProcess): Promise<PlannedCall[]> => {
  const { functions, key } = await functionsNamed(words, planning, '-f FILE or KIND NAME')
  return plansBy(functions, { key }, planning)
}

/** The functions of the kind, and the key, that the words KIND NAME give. */
export const functionsNamed = async (words: readonly string[], planning: PlanningProcess, expected = 'KIND NAME') => {
  const [kind, name, ...others] = words
  if (kind === undefined || name === undefined || others.length > 0)
    throw new UsageFault(`expected ${expected}, found ${words.length === 0 ? 'nothing' : words.join(' ')}`)
  const functions = functionsFor(kind, planning)
  const [first] = functions
  if (!first) throw new UsageFault(unknownKind(kind, planning))
  return { functions, kind: first.kind, key: { name, namespace: await planning.namespaceOf(first.kind) } }
}

/** One after the other: each renders, and reads much. */
export const plansBy = async (
  functions: readonly ReconcileFunction[],
  subject: PlanSubject,
  planning: PlanningProcess,
) => {
  const plans: PlannedCall[] = []
  for (const definition of functions) plans.push(await planning.plan(definition, subject))
  return plans
}

const functionsFor = (asked: string, { functions }: PlanningProcess): ReconcileFunction[] => {
  const [word = ''] = asked.split('.')
  return functions.filter(({ kind }) => isCalled(kind, word))
}

const unknownKind = (asked: string, { functions }: PlanningProcess): string => {
  const kinds = [...new Set(functions.map(({ kind }) => kind.kind))].sort()
  return `Espalier has no function for ${asked}; expected one of ${kinds.join(', ')}`
}

/** Of a file, of standard input, or of all YAML and JSON files of a folder, as kubectl takes them. */
const objectsIn = async (place: string): Promise<KubeObject[]> => {
  if (place === '-' || !statSync(place, { throwIfNoEntry: false })?.isDirectory()) return objectsInFile(place)
  const files = readdirSync(place)
    .filter(name => /\.(ya?ml|json)$/.test(name))
    .sort()
  if (files.length === 0)
    throw new UsageFault(`${place} is a folder without files whose names end in .yaml, .yml or .json`)
  const lists = await Promise.all(files.map(name => objectsInFile(join(place, name))))
  return lists.flat()
}

const objectsInFile = async (file: string): Promise<KubeObject[]> => {
  const text = file === '-' ? await readAll(process.stdin) : readFileSync(file, 'utf8')
  const documents = parseAllDocuments(text, { version: '1.1' })
  const [broken] = documents.flatMap(({ errors }) => errors)
  if (broken) throw new UsageFault(`${file}: ${broken.message}`)
  const objects = documents.flatMap(document => document.toJS() ?? [])
  if (objects.length === 0) throw new UsageFault(`${file} holds no object`)
  const strange = objects.findIndex(object => !isObject(object))
  if (strange >= 0)
    throw new UsageFault(`${file}: document ${strange + 1} is no object with apiVersion, kind and metadata.name`)
  return objects
}

const isObject = (value: unknown): value is KubeObject =>
  isMap(value) &&
  [value.apiVersion, value.kind, isMap(value.metadata) && value.metadata.name].every(text => typeof text === 'string')

/** 2: a plan has failed or a step is refused; 1: there are steps. */
export const codeOf = (plans: readonly PlannedCall[]): 0 | 1 | 2 => {
  if (
    plans.some(
      ({ steps, next }) => ['failed', 'stalled'].includes(next.is) || steps.some(({ does }) => does === 'fail'),
    )
  )
    return 2
  return plans.some(({ steps, later }) => steps.length + later.length > 0) ? 1 : 0
}
