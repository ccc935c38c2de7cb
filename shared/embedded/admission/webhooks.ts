// Runs the configured webhooks. Mutating webhooks run in sequence, and some of them twice. Validating webhooks run in parallel.
import { randomUUID } from 'node:crypto'
import type { KubeObject } from '../../core/objects/object.ts'
import type { Kind } from '../kinds/kind.ts'
import { jsonPatched, PatchFault } from '../patches.ts'
import { badRequest, forbidden, internal, type StatusDetails, StatusError } from '../status.ts'
import { fieldsAt, type JsonMap, listAt, mapsAt, sameJson, textAt } from '../value.ts'
import { type AdmissionParts, type Attributes, asKind, changedAs, requestOf, wantedKind } from './attributes.ts'
import { WebhookFailure } from './call-webhook.ts'
import { matchConditionsOf, matched, valuesOf } from './policies/invocations.ts'

type Draft = Attributes & { readonly object: KubeObject }
type Phase = 'mutating' | 'validating'

/** After the webhooks, `between` can change the object. After a change, webhooks with `reinvocationPolicy: IfNeeded` run again. */
export const mutatedByWebhooks = async (
  attributes: Draft,
  parts: AdmissionParts,
  between: (object: KubeObject) => KubeObject,
): Promise<KubeObject> => {
  const webhooks = configured('mutating', parts)
  let object = attributes.object
  let again: JsonMap[] = []
  for (const webhook of webhooks) {
    const before = object
    object = await mutatedBy(webhook, { ...attributes, object }, parts)
    if (!sameJson(before, object)) again = webhooks.slice(0, webhooks.indexOf(webhook)).filter(needsReinvocation)
  }
  const asked = object
  object = between(object)
  if (!sameJson(asked, object)) again = webhooks.filter(needsReinvocation)
  for (const webhook of again) object = await mutatedBy(webhook, { ...attributes, object }, parts)
  return object
}

export const validateByWebhooks = async (attributes: Attributes, parts: AdmissionParts): Promise<void> => {
  const calls = configured('validating', parts).map(webhook => called(webhook, attributes, 'validating', parts))
  await Promise.all(calls)
}

const configured = (phase: Phase, { store }: AdmissionParts): JsonMap[] =>
  store
    .objects(`admissionregistration.k8s.io/${phase}webhookconfigurations`)
    .flatMap(configuration => mapsAt(configuration, 'webhooks'))

const mutatedBy = async (webhook: JsonMap, attributes: Draft, parts: AdmissionParts): Promise<KubeObject> => {
  const answered = await called(webhook, attributes, 'mutating', parts)
  const patch = answered && textAt(answered.response, 'patch')
  return answered && patch ? patchedBy(attributes, answered.kind, patch) : attributes.object
}

/** Returns the webhook's answer, or undefined if it was not called. Throws if the webhook denies the write. */
const called = async (
  webhook: JsonMap,
  attributes: Attributes,
  phase: Phase,
  parts: AdmissionParts,
): Promise<{ response: JsonMap; kind: Kind } | undefined> => {
  const kind = wantedKind(webhook, attributes, parts)
  if (!kind || !isMet(webhook, attributes, kind, parts)) return undefined
  if (attributes.isDryRun && webhook.sideEffects !== 'None' && webhook.sideEffects !== 'NoneOnDryRun')
    throw badRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`)
  const response = await answerOf(webhook, attributes, kind, parts)
  if (!response) return undefined
  for (const warning of listAt(response, 'warnings')) attributes.warnings.add(String(warning))
  if (response.allowed !== true) throw denial(String(webhook.name), response)
  if (phase === 'mutating' && response.patch !== undefined && response.patchType !== 'JSONPatch')
    throw failed(webhook, `webhook response patch type ${JSON.stringify(response.patchType ?? '')} is not supported`)
  return { response, kind }
}

const isMet = (webhook: JsonMap, attributes: Attributes, kind: Kind, parts: AdmissionParts): boolean => {
  const conditions = matchConditionsOf(webhook)
  if (conditions.length === 0) return true
  const values = valuesOf({ ...attributes, seenAs: kind, namespaceObject: null, params: null }, parts)
  const { isMatched, fault } = matched(conditions, values, webhook.failurePolicy)
  if (fault !== undefined) throw forbidden(attributes.kind, attributes.name, fault)
  return isMatched
}

/** undefined if the call failed and the failure is ignored. */
const answerOf = async (
  webhook: JsonMap,
  attributes: Attributes,
  kind: Kind,
  { caller }: AdmissionParts,
): Promise<JsonMap | undefined> => {
  try {
    return await caller.review(webhook, reviewOf(webhook, attributes, kind))
  } catch (error) {
    if (!(error instanceof WebhookFailure)) throw error
    if (webhook.failurePolicy === 'Ignore') return undefined
    throw failed(webhook, error.message)
  }
}

const failed = ({ name }: JsonMap, why: string): StatusError =>
  internal(`failed calling webhook ${JSON.stringify(name)}: ${why}`)

const needsReinvocation = (webhook: JsonMap): boolean => webhook.reinvocationPolicy === 'IfNeeded'

const reviewOf = (webhook: JsonMap, attributes: Attributes, kind: Kind): JsonMap => {
  const { kind: requested, object, before } = attributes
  const version = listAt(webhook, 'admissionReviewVersions').find(each => each === 'v1' || each === 'v1beta1') ?? 'v1'
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid: randomUUID(),
      ...requestOf(attributes, kind),
      object: asKind(object, requested, kind),
      oldObject: asKind(before, requested, kind),
    },
  }
}

/** A patch that does not fit is a fault of the webhook, not of the client. */
const patchedBy = ({ object, kind }: Draft, seenAs: Kind, patch: string): KubeObject => {
  const operations: unknown = JSON.parse(Buffer.from(patch, 'base64').toString())
  try {
    return changedAs(object, { kind, seenAs }, jsonPatched(asKind(object, kind, seenAs), operations))
  } catch (error) {
    throw error instanceof PatchFault ? internal(error.why) : error
  }
}

const denial = (name: string, response: JsonMap): StatusError => {
  const status = fieldsAt(response, 'status') ?? {}
  const code = typeof status.code === 'number' && status.code !== 0 ? status.code : 400
  const reason = textAt(status, 'reason')
  const subject = `admission webhook ${JSON.stringify(name)} denied the request`
  const message = textAt(status, 'message') || reason
  const details = fieldsAt(status, 'details') as StatusDetails | undefined
  return new StatusError(code, reason, message ? `${subject}: ${message}` : `${subject} without explanation`, details)
}
