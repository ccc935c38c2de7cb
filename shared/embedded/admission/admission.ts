// The admission of a write, in the API server's order: the state of its Namespace, the ServiceAccount of a Pod, policies and webhooks.
// Creates are refused in a Namespace that is missing or being deleted. Deletions of three Namespaces are refused. A Pod without a
// ServiceAccount gets the account `default`, with a projected token.
import { remembered } from '../../core/memory/remembered.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { randomSuffix } from '../names.ts'
import { chargeQuotas } from '../quota/charge.ts'
import { forbidden, notFound, StatusError } from '../status.ts'
import type { Store } from '../storage/store.ts'
import { fieldsAt, isMap, type JsonMap, listAt, mapsAt, textAt } from '../value.ts'
import { type AdmissionParts, type Attributes, refusedName } from './attributes.ts'
import {
  type Denial,
  denialText,
  type Expression,
  expressionIn,
  type Fault,
  type Invocation,
  invocationsOf,
  misconfigured,
  outcomeOf,
  seenBy,
  type Values,
  variablesOf,
  withVariables,
} from './policies/invocations.ts'
import { mutatedByPolicies } from './policies/mutating.ts'
import { mutatedByWebhooks, validateByWebhooks } from './webhooks.ts'

export type Admission = {
  mutate(attributes: Attributes & { object: KubeObject }): Promise<KubeObject>
  validate(attributes: Attributes): Promise<void>
}

export const admission = (parts: AdmissionParts): Admission => ({
  mutate: async attributes => {
    requireNamespace(parts.store, attributes)
    const object = withServiceAccount(parts.store, attributes)
    const first = mutatedByPolicies({ ...attributes, object }, parts)
    const between = (object: KubeObject) => mutatedByPolicies({ ...attributes, object }, parts, first.again).object
    return mutatedByWebhooks({ ...attributes, object: first.object }, parts, between)
  },
  validate: async attributes => {
    const { operation, kind, name } = attributes
    if (operation === 'DELETE' && kind.collection === 'namespaces' && immortal.includes(name))
      throw forbidden(namespaces, name, 'this namespace may not be deleted')
    validateByPolicies(attributes, parts)
    await validateByWebhooks(attributes, parts)
    chargeQuotas(attributes, parts)
  },
})

const immortal = ['default', 'kube-system', 'kube-public']
const namespaces = { group: '', plural: 'namespaces', kind: 'Namespace' }

const requireNamespace = (store: Store, attributes: Attributes): void => {
  const { operation, kind, namespace, subresource } = attributes
  if (operation !== 'CREATE' || !kind.namespaced || subresource) return
  const found = store.get('namespaces', namespace)
  if (!found) throw notFound(namespaces, namespace)
  if (!found.object.metadata.deletionTimestamp) return
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`
  throw forbidden(kind, refusedName(attributes), why, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ])
}

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount'

const withServiceAccount = (store: Store, attributes: Attributes & { object: KubeObject }): KubeObject => {
  const { operation, kind, object, namespace, subresource } = attributes
  if (operation !== 'CREATE' || kind.collection !== 'pods' || subresource) return object
  const spec = fieldsAt(object, 'spec') ?? {}
  const account = String(spec.serviceAccountName ?? 'default')
  const found = store.get('serviceaccounts', `${namespace}/${account}`)?.object
  if (!found)
    throw forbidden(
      kind,
      refusedName(attributes),
      `error looking up service account ${namespace}/${account}: serviceaccount ${JSON.stringify(account)} not found`,
    )
  const named = { ...spec, serviceAccountName: account, serviceAccount: account }
  const mounts = spec.automountServiceAccountToken ?? found.automountServiceAccountToken ?? true
  return { ...object, spec: mounts && !hasToken(spec) ? withToken(named) : named }
}

const hasToken = (spec: JsonMap): boolean => {
  const mounts = mapsAt(spec, 'containers').map(container => listAt(container, 'volumeMounts'))
  return mounts.length > 0 && mounts.every(list => list.some(mount => isMap(mount) && mount.mountPath === mountPath))
}

const withToken = (spec: JsonMap): JsonMap => {
  const name = `kube-api-access-${randomSuffix()}`
  const mount = { name, readOnly: true, mountPath }
  const mounted = (containers: unknown[]) =>
    containers.filter(isMap).map(container => {
      const mounts = listAt(container, 'volumeMounts')
      const isMounted = mounts.some(each => isMap(each) && each.mountPath === mountPath)
      return isMounted ? container : { ...container, volumeMounts: [...mounts, mount] }
    })
  return {
    ...spec,
    volumes: [...listAt(spec, 'volumes'), tokenVolume(name)],
    containers: mounted(listAt(spec, 'containers')),
    ...(Array.isArray(spec.initContainers) && { initContainers: mounted(spec.initContainers) }),
  }
}

const tokenVolume = (name: string): JsonMap => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
    defaultMode: 420,
  },
})

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

const validateByPolicies = (attributes: Attributes, parts: AdmissionParts): void => {
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

/** `bare`: the values for expressions of messages. These expressions and their variables cannot use `authorizer`. */
const faultsOf = (spec: JsonMap, seen: Values, bare: Values): Fault[] =>
  validationsOf(spec).flatMap(validation => {
    const { value, fault } = outcomeOf(validation.test, seen)
    if (fault !== undefined) return spec.failurePolicy === 'Ignore' ? [] : [{ message: fault }]
    if (value === true) return []
    const values = withVariables({ ...bare, authorizer: undefined }, variablesOf(spec))
    return [{ message: messageOf(validation, values), reason: validation.reason }]
  })

/** Values of audit annotations are not stored, but a failing expression still denies the write. */
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

const refusal = (attributes: Attributes, denial: Denial): StatusError => {
  const { reason = '' } = denial
  const why = `ValidatingAdmissionPolicy ${denialText(denial)}`
  const denied = forbidden(attributes.kind, refusedName(attributes), why, [{ message: why }])
  return new StatusError(codes[reason] ?? 422, reason || 'Invalid', denied.message, denied.details)
}
