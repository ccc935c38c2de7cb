// Applies the rule table to a Garden in one walk. The time is proportional to the Garden's size, because absent values cost nothing.
import { supportedMinor } from '../../../shared/api/kubernetes/versions.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import { canonicalJson, isMap, type JsonMap } from '../../../shared/core/json/json.ts'
import { keptOrMade, remembered } from '../../../shared/core/memory/remembered.ts'
import type { FieldError } from '../../../shared/core/objects/field-error.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import { kubernetes } from './paths.ts'
import type { FieldPlace, GardenRule, ReviewedGarden, RuleFault } from './rule.ts'

type RuleTree = { rules: GardenRule[]; below: Map<string, RuleTree> }

export const ruleTree = (rules: readonly GardenRule[]): RuleTree => {
  const root = emptyTree()
  for (const rule of rules) {
    for (const path of rule.at)
      path
        .split(/\.|(?=\[\]|\{\})/)
        .reduce(treeBelow, root)
        .rules.push(rule)
  }
  return root
}

const emptyTree = (): RuleTree => ({ rules: [], below: new Map() })

const treeBelow = ({ below }: RuleTree, step: string): RuleTree => keptOrMade(below, step, emptyTree)

/** Returns at most `most` errors, without faults of single values that the stored Garden already has. */
export const errorsOf = (tree: RuleTree, subject: ReviewedGarden, most: number): FieldError[] => {
  const errors: FieldError[] = []
  let stored: KnownFaults | undefined
  const isAsBefore = (rule: GardenRule, fault: RuleFault): boolean => {
    if (!rule.isOfOneField || !subject.before) return false
    stored ??= faultsOfStored(tree, subject.before)
    return stored.spares(rule, fault)
  }
  eachFault(tree, subject, (rule, fault) => {
    if (!isAsBefore(rule, fault)) errors.push(fault.error)
    return errors.length < most
  })
  return errors
}

/** No real Garden has more faults. The limit bounds the work for the stored Garden. */
const storedFaultsMost = 10_000

/** Called only if the new Garden has faults. */
const faultsOfStored = (tree: RuleTree, before: Garden): KnownFaults => {
  const found = knownFaults()
  let count = 0
  eachFault(onlyOneFields(tree), { garden: before }, (rule, fault) => {
    found.note(rule, fault)
    return ++count < storedFaultsMost
  })
  return found
}

/** The tree without relations, because faults of relations must not stay. */
const onlyOneFields = remembered(
  (tree: RuleTree): RuleTree => ({
    rules: tree.rules.filter(rule => rule.isOfOneField),
    below: new Map([...tree.below].map(([step, below]) => [step, onlyOneFields(below)])),
  }),
)

/** Called for each fault. If it returns false, the walk ends. */
type Take = (rule: GardenRule, fault: RuleFault) => boolean

type Walk = {
  readonly subject: ReviewedGarden
  readonly minor: string | undefined
  readonly take: Take
  isOver: boolean
}

const eachFault = (tree: RuleTree, subject: ReviewedGarden, take: Take): void => {
  const version = valueAt(subject.garden, ...kubernetes.split('.'), 'version')
  const minor = typeof version === 'string' ? supportedMinor(version) : undefined
  walk(tree, { path: '', name: '', value: subject.garden, minor }, { subject, minor, take, isOver: false })
}

const walk = (tree: RuleTree, place: FieldPlace, on: Walk): void => {
  const { path, value } = place
  if (value === undefined || value === null || on.isOver) return
  for (const rule of tree.rules) judge(rule, place, on)
  if (Array.isArray(value)) walkItems(tree, path, value, on)
  else if (isMap(value)) walkFields(tree, path, value, on)
}

const judge = (rule: GardenRule, place: FieldPlace, on: Walk): void => {
  for (const fault of rule.faults(place, on.subject)) {
    if (on.isOver) return
    on.isOver = !on.take(rule, fault)
  }
}

const walkItems = ({ below }: RuleTree, path: string, list: readonly unknown[], on: Walk): void => {
  const items = below.get('[]')
  if (!items) return
  for (const [i, value] of list.entries()) walk(items, { path: `${path}[${i}]`, name: '', value, minor: on.minor }, on)
}

const walkFields = ({ below }: RuleTree, path: string, map: JsonMap, on: Walk): void => {
  const prefix = path === '' ? '' : `${path}.`
  const visit = (tree: RuleTree, name: string) =>
    walk(tree, { path: prefix + name, name, value: map[name], minor: on.minor }, on)
  for (const [field, fields] of below) if (Object.hasOwn(map, field)) visit(fields, field)
  const entries = below.get('{}')
  if (entries) for (const name of Object.keys(map)) visit(entries, name)
}

/**
 * Faults of single values in the stored Garden, which may stay in an update. Example: the stored domain `a_b` is invalid under new rules,
 * but an update of `spec.resources` is still allowed.
 */
type KnownFaults = {
  readonly note: (rule: GardenRule, fault: RuleFault) => void
  /** Whether the stored Garden has the same fault. Each stored fault permits one fault, also at another index of the same list. */
  readonly spares: (rule: GardenRule, fault: RuleFault) => boolean
}

const knownFaults = (): KnownFaults => {
  const counts = new Map<GardenRule, Map<string, number>>()
  const change = (rule: GardenRule, fault: RuleFault, by: 1 | -1): boolean => {
    const found = counts.get(rule) ?? new Map<string, number>()
    const key = keyOf(fault)
    const count = (found.get(key) ?? 0) + by
    if (count >= 0) counts.set(rule, found.set(key, count))
    return count >= 0
  }
  return {
    note: (rule, fault) => {
      change(rule, fault, 1)
    },
    spares: (rule, fault) => change(rule, fault, -1),
  }
}

/** The key contains the message, so a fault that names the Kubernetes version becomes another fault when the version changes. */
const keyOf = ({ error, about }: RuleFault): string =>
  [error.field.replaceAll(/\[\d+\]/g, '[]'), error.message, canonicalJson(about)].join('\n')
