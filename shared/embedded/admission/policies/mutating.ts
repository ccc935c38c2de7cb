// MutatingAdmissionPolicies. Each policy changes the object by an apply configuration or a JSON patch.
import { remembered } from '../../../core/memory/remembered.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { refuseMisfit } from '../../apply/apply.ts'
import { ElementError, rootTyping, shapeOf, type Typing } from '../../apply/shape.ts'
import { merged } from '../../apply/walk.ts'
import { Construction, jsonOf, mistypedPart } from '../../cel/constructions.ts'
import type { Kind } from '../../kinds/kind.ts'
import { jsonPatched, PatchFault } from '../../patches.ts'
import { forbidden, internal, StatusError } from '../../status.ts'
import { fieldsAt, isMap, type JsonMap, mapsAt, textAt } from '../../value.ts'
import { type AdmissionParts, type Attributes, asKind, changedAs, refusedName } from '../attributes.ts'
import {
  type Denial,
  denialText,
  type Expression,
  expressionIn,
  type Invocation,
  ignoresFaults,
  invocationsOf,
  type JudgedWrite,
  misconfigured,
  outcomeOf,
  seenBy,
} from './invocations.ts'

type Draft = Attributes & { readonly object: KubeObject }
/** Returns the changed object, in the version that the policy sees, or throws MutationFault. */
type Patch = (object: KubeObject, value: unknown, seenAs: Kind) => unknown
type Mutation = { readonly expression: Expression; readonly patch: Patch }

class MutationFault extends Error {}

const refuseMistyped = (value: unknown): void => {
  const why = value instanceof Construction && mistypedPart(value, value.type)
  if (why) throw new MutationFault(`type mismatch: ${why}`)
}

/** Merges the configuration into the object. Removes no fields, because a policy owns no fields. */
const configured: Patch = (object, value, seenAs) => {
  refuseMistyped(value)
  const { apiVersion, kind } = object
  const config = { ...(jsonOf(value) as JsonMap), apiVersion, kind }
  const typing = rootTyping(seenAs)
  try {
    refuseMisfit(config, typing)
  } catch (error) {
    if (!(error instanceof ElementError)) throw error
    throw new MutationFault(`error applying patch: failed to convert patch object to typed object: ${error.message}`)
  }
  const whole = wholeParts(config, typing, '')
  const why = 'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs'
  if (whole.length > 0) throw new MutationFault(`${why}: ${whole.join(', ')}`)
  return merged(object, config, typing)
}

/** The paths of lists and maps that an apply configuration would replace as a whole. */
const wholeParts = (value: unknown, typing: Typing, path: string): string[] => {
  const shape = shapeOf(typing, value)
  if (shape.is === 'scalar') return []
  const own = shape.isAtomic && (isMap(value) || Array.isArray(value)) ? [path] : []
  if (shape.is === 'list') {
    const items = Array.isArray(value) ? value : []
    return [...own, ...items.flatMap((each, index) => wholeParts(each, shape.item, `${path}[${index}]`))]
  }
  const declared = Object.entries(isMap(value) ? value : {}).filter(([name]) => shape.isDeclared(name))
  return [...own, ...declared.flatMap(([name, each]) => wholeParts(each, shape.field(name), `${path}.${name}`))]
}

/** A `test` that fails leaves the object unchanged. */
const patched: Patch = (object, value) => {
  const operations = (Array.isArray(value) ? value : []) as Construction[]
  for (const { fields } of operations) refuseMistyped(fields.value)
  try {
    return jsonPatched(object, jsonOf(operations))
  } catch (error) {
    if (!(error instanceof PatchFault)) throw error
    if (error.why.endsWith('test failed')) return object
    throw new MutationFault(`JSON Patch: ${error.why}`)
  }
}

const mutationsOf = remembered((spec: JsonMap): Mutation[] =>
  mapsAt(spec, 'mutations').map(({ patchType, jsonPatch, applyConfiguration }) =>
    patchType === 'JSONPatch'
      ? { expression: expressionIn(jsonPatch as JsonMap), patch: patched }
      : { expression: expressionIn(applyConfiguration as JsonMap), patch: configured },
  ),
)

type Mutated = {
  readonly object: KubeObject
  /** Keys of the invocations that must run again after a later change. */
  readonly again: ReadonlySet<string>
}

/** If `only` is given, runs only these invocations. Throws the first denial. */
export const mutatedByPolicies = (draft: Draft, parts: AdmissionParts, only?: ReadonlySet<string>): Mutated => {
  let { object } = draft
  const again = new Set<string>()
  const denials: Denial[] = []
  for (const invocation of invocationsOf('mutating', draft, parts)) {
    if ('fault' in invocation) denials.push(...misconfigured(invocation))
    else if (!only || only.has(keyOf(invocation))) {
      const ran = ranOn({ ...invocation, subject: { ...invocation.subject, object } }, parts)
      object = ran.object
      if (!ignoresFaults(invocation.policy)) denials.push(...ran.denials)
      if (ran.isMatched && textAt(invocation.policy, 'spec', 'reinvocationPolicy') === 'IfNeeded')
        again.add(keyOf(invocation))
    }
  }
  if (denials.length > 0) throw refusal(draft, denials)
  return { object, again }
}

const keyOf = ({ policy, binding, subject: { params } }: Invocation): string =>
  [policy, binding, params].map(each => `${each?.metadata.namespace ?? ''}/${each?.metadata.name ?? ''}`).join(' ')

type Ran = { readonly object: KubeObject; readonly isMatched: boolean; readonly denials: readonly Denial[] }

const ranOn = (
  { policy, binding, subject }: Invocation & { subject: { object: KubeObject } },
  parts: AdmissionParts,
): Ran => {
  const spec = fieldsAt(policy, 'spec') ?? {}
  let { object } = subject
  const { isMatched, fault } = seenBy(spec, subject, parts)
  const denials: Denial[] = []
  const deny = (message: string) => void denials.push({ policy, binding, message, reason: 'Invalid' })
  if (fault !== undefined) deny(fault)
  for (const mutation of isMatched ? mutationsOf(spec) : [])
    try {
      object = mutatedBy(mutation, spec, { ...subject, object }, parts)
    } catch (error) {
      if (!(error instanceof MutationFault)) throw error
      deny(error.message)
    }
  return { object, isMatched, denials }
}

const mutatedBy = (
  { expression, patch }: Mutation,
  spec: JsonMap,
  subject: JudgedWrite & { object: KubeObject },
  parts: AdmissionParts,
): KubeObject => {
  const { object, kind, seenAs } = subject
  const { value, fault } = outcomeOf(expression, seenBy(spec, subject, parts).values)
  if (fault !== undefined) throw new MutationFault(fault)
  const result = patch(asKind(object, kind, seenAs) ?? object, value, seenAs)
  const unknown: string[] = []
  const changed = changedAs(object, { kind, seenAs }, result, unknown)
  if (unknown.length === 0) return changed
  throw internal(`strict decoding error: ${unknown.map(path => `unknown field ${JSON.stringify(path)}`).join(', ')}`)
}

const refusal = (draft: Draft, denials: readonly Denial[]): StatusError => {
  const messages = denials.map(denial => `policy ${denialText(denial)}`)
  const causes = messages.map(message => ({ message }))
  const { details } = forbidden(draft.kind, refusedName(draft), '', causes)
  return new StatusError(403, denials[0]?.reason ?? 'Forbidden', messages[0] ?? '', details)
}
