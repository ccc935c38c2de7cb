// ValidatingAdmissionPolicies: denials and warnings.
import { remembered } from '../../../core/memory/remembered.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { forbidden, StatusError } from '../../status.ts'
import { fieldsAt, type JsonMap, listAt, mapsAt, textAt } from '../../value.ts'
import { type AdmissionParts, type Attributes, refusedName } from '../attributes.ts'
import { type Denial, type Fault, type Invocation, invocationsOf, misconfigured } from './invocations.ts'
import { type Expression, expressionIn, outcomeOf, seenBy, type Values, variablesOf, withVariables } from './values.ts'

type Validation = {
  readonly test: Expression
  readonly messageExpression: Expression | undefined
  readonly message: string
  readonly reason: string
}

const validationsOf = remembered((spec: JsonMap): Validation[] =>
  mapsAt(spec, 'validations').map(validation => ({
    test: expressionIn(validation),
    messageExpression: validation.messageExpression ? expressionIn(validation, 'messageExpression') : undefined,
    message: textAt(validation, 'message').trim(),
    reason: textAt(validation, 'reason'),
  })),
)

const annotationsOf = remembered((spec: JsonMap): Expression[] =>
  mapsAt(spec, 'auditAnnotations').map(annotation => expressionIn(annotation, 'valueExpression')),
)

export const validateByPolicies = (attributes: Attributes, parts: AdmissionParts): void => {
  const [first] = invocationsOf('validating', attributes, parts).flatMap(each =>
    'fault' in each ? misconfigured(each) : denialsOf(each, parts),
  )
  if (first) throw refusal(attributes, first)
}

const denialsOf = ({ policy, binding, subject }: Invocation, parts: AdmissionParts): Denial[] => {
  const spec = fieldsAt(policy, 'spec') ?? {}
  const { bare, values, isMatched, fault } = seenBy(spec, subject, parts)
  const actions = listAt(binding, 'spec', 'validationActions')
  const faults = isMatched ? faultsOf(spec, values, bare) : fault === undefined ? [] : [{ message: fault }]
  if (actions.includes('Warn'))
    for (const { message } of faults) subject.warnings.add(warningOf(policy, binding, message))
  const always = isMatched ? annotationFaults(spec, values) : []
  return [...(actions.includes('Deny') ? faults : []), ...always].map(each => ({ ...each, policy, binding }))
}

const warningOf = (policy: KubeObject, binding: KubeObject, message: string): string =>
  `Validation failed for ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${binding.metadata.name}': ${message}`

/** Messages and their variables see no `authorizer`. */
const faultsOf = (spec: JsonMap, values: Values, bare: Values): Fault[] =>
  validationsOf(spec).flatMap(validation => {
    const { value, fault } = outcomeOf(validation.test, values)
    if (fault !== undefined) return spec.failurePolicy === 'Ignore' ? [] : [{ message: fault }]
    return value === true
      ? []
      : [{ message: messageOf(validation, forMessages(spec, bare)), reason: validation.reason }]
  })

const forMessages = (spec: JsonMap, bare: Values): Values =>
  withVariables({ ...bare, authorizer: undefined }, variablesOf(spec))

/** Audit annotations are not kept, but a failing one denies. */
const annotationFaults = (spec: JsonMap, values: Values): Fault[] =>
  spec.failurePolicy === 'Ignore'
    ? []
    : annotationsOf(spec).flatMap(expression => {
        const { fault } = outcomeOf(expression, values)
        return fault === undefined ? [] : [{ message: fault }]
      })

const longestMessage = 5 * 1024

const messageOf = ({ test, message, messageExpression }: Validation, values: Values): string => {
  const made = messageExpression && outcomeOf(messageExpression, values).value
  const shown = typeof made === 'string' ? made.trim() : ''
  const isShown = shown !== '' && shown.length <= longestMessage && !shown.includes('\n')
  return (isShown ? shown : message) || `failed expression: ${test.text.trim()}`
}

const codes: Readonly<Record<string, number>> = { Forbidden: 403, RequestEntityTooLarge: 413 }

const refusal = (attributes: Attributes, { policy, binding, message, reason = '' }: Denial): StatusError => {
  const bound = binding ? ` with binding '${binding.metadata.name}'` : ''
  const why = `ValidatingAdmissionPolicy '${policy.metadata.name}'${bound} denied request: ${message}`
  const denied = forbidden(attributes.kind, refusedName(attributes), why, [{ message: why }])
  return new StatusError(codes[reason] ?? 422, reason || 'Invalid', denied.message, denied.details)
}
