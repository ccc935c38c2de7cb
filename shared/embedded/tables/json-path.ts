// The part of JSONPath that printer columns and scale paths use: fields, quoted fields, indexes, `[*]` and filters by
// equality.
import { isMap, own } from '../value.ts'

type Step = { field: string } | { index: number } | 'all' | { where: string; equals: string }

const stepPattern =
  /\.([\w-]+(?:\\\.[\w-]+)*)|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]|\[(-?\d+)\]|\[\*\]|\.\*|\[\?\(@\.([\w.-]+)\s*==\s*["']([^"']*)["']\)\]/gy

const parsed = new Map<string, Step[]>()

const stepsOf = (path: string): Step[] => {
  const known = parsed.get(path)
  if (known) return known
  const steps: Step[] = []
  for (const [, field, single, double, index, where, equals] of path.matchAll(stepPattern)) {
    const name = field ?? single ?? double
    if (name !== undefined) steps.push({ field: name.replaceAll('\\.', '.') })
    else if (index !== undefined) steps.push({ index: Number(index) })
    else if (where !== undefined) steps.push({ where, equals: equals ?? '' })
    else steps.push('all')
  }
  parsed.set(path, steps)
  return steps
}

const jsonPathValues = (value: unknown, path: string): unknown[] =>
  stepsOf(path).reduce<unknown[]>((values, step) => values.flatMap(each => take(each, step)), [value])

const take = (value: unknown, step: Step): unknown[] => {
  if (step === 'all') return Array.isArray(value) ? value : isMap(value) ? Object.values(value) : []
  if ('field' in step) return isMap(value) && own(value, step.field) !== undefined ? [own(value, step.field)] : []
  if ('index' in step)
    return Array.isArray(value) ? value.slice(step.index, step.index === -1 ? undefined : step.index + 1) : []
  if (!Array.isArray(value)) return []
  return value.filter(item => jsonPathValues(item, `.${step.where}`).some(found => String(found) === step.equals))
}

/** The first value as text; undefined when there is none. */
export const jsonPathText = (value: unknown, path: string): string | undefined => {
  const [found] = jsonPathValues(value, path)
  if (found === undefined || found === null) return undefined
  return typeof found === 'object' ? JSON.stringify(found) : String(found)
}
