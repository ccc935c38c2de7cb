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

const mutatingCollection = 'admissionregistration.k8s.io/mutatingwebhookconfigurations'
const validatingCollection = 'admissionregistration.k8s.io/validatingwebhookconfigurations'

type Draft = Attributes & { readonly object: KubeObject }

export class Webhooks {
  readonly #parts: AdmissionParts

  constructor(parts: AdmissionParts) {
    this.#parts = parts
  }

  /** After the webhooks, `between` can change the object. After a change, webhooks with `reinvocationPolicy: IfNeeded` run again. */
  async mutate(attributes: Draft, between: (object: KubeObject) => KubeObject): Promise<KubeObject> {
    const webhooks = this.#configured(mutatingCollection)
    let object = attributes.object
    let again: JsonMap[] = []
    for (const webhook of webhooks) {
      const before = object
      object = await this.#mutateBy(webhook, { ...attributes, object })
      if (!sameJson(before, object)) again = webhooks.slice(0, webhooks.indexOf(webhook)).filter(needsReinvocation)
    }
    const asked = object
    object = between(object)
    if (!sameJson(asked, object)) again = webhooks.filter(needsReinvocation)
    for (const webhook of again) object = await this.#mutateBy(webhook, { ...attributes, object })
    return object
  }

  async validate(attributes: Attributes): Promise<void> {
    const webhooks = this.#configured(validatingCollection)
    if (webhooks.length === 0) return
    await Promise.all(webhooks.map(webhook => this.#call(webhook, attributes, 'validating')))
  }

  #configured(collection: string): JsonMap[] {
    const configurations = [...this.#parts.store.collection(collection).values()].map(({ object }) => object)
    return configurations
      .sort((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1))
      .flatMap(configuration => mapsAt(configuration, 'webhooks'))
  }

  async #mutateBy(webhook: JsonMap, attributes: Draft): Promise<KubeObject> {
    const answered = await this.#call(webhook, attributes, 'mutating')
    const patch = answered && textAt(answered.response, 'patch')
    if (!answered || !patch) return attributes.object
    return patchedBy(attributes, answered.kind, patch)
  }

  /** Returns the webhook's answer, or undefined if it was not called. Throws if the webhook denies the write. */
  async #call(
    webhook: JsonMap,
    attributes: Attributes,
    phase: 'mutating' | 'validating',
  ): Promise<{ response: JsonMap; kind: Kind } | undefined> {
    const kind = wantedKind(webhook, attributes, this.#parts)
    if (!kind || !this.#isMet(webhook, attributes, kind)) return undefined
    refuseSideEffects(webhook, attributes)
    const response = await this.#ask(webhook, attributes, kind)
    if (!response) return undefined
    for (const warning of listAt(response, 'warnings')) attributes.warnings.add(String(warning))
    if (response.allowed !== true) throw denial(String(webhook.name), response)
    if (phase === 'mutating' && response.patch !== undefined && response.patchType !== 'JSONPatch')
      throw failed(webhook, `webhook response patch type ${JSON.stringify(response.patchType ?? '')} is not supported`)
    return { response, kind }
  }

  #isMet(webhook: JsonMap, attributes: Attributes, kind: Kind): boolean {
    const conditions = matchConditionsOf(webhook)
    if (conditions.length === 0) return true
    const values = valuesOf({ ...attributes, seenAs: kind, namespaceObject: null, params: null }, this.#parts)
    const { isMatched, fault } = matched(conditions, values, webhook.failurePolicy)
    if (fault !== undefined) throw forbidden(attributes.kind, attributes.name, fault)
    return isMatched
  }

  async #ask(webhook: JsonMap, attributes: Attributes, kind: Kind): Promise<JsonMap | undefined> {
    try {
      return await this.#parts.caller.review(webhook, reviewOf(webhook, attributes, kind))
    } catch (error) {
      if (!(error instanceof WebhookFailure)) throw error
      if (webhook.failurePolicy === 'Ignore') return undefined
      throw failed(webhook, error.message)
    }
  }
}

const failed = ({ name }: JsonMap, why: string): StatusError =>
  internal(`failed calling webhook ${JSON.stringify(name)}: ${why}`)

const needsReinvocation = (webhook: JsonMap): boolean => webhook.reinvocationPolicy === 'IfNeeded'

const refuseSideEffects = (webhook: JsonMap, { isDryRun }: Attributes): void => {
  if (isDryRun && webhook.sideEffects !== 'None' && webhook.sideEffects !== 'NoneOnDryRun')
    throw badRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`)
}

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

const patchedBy = ({ object, kind }: Draft, seen: Kind, patch: string): KubeObject => {
  const document = asKind(object, kind, seen)
  const result = patchedBySomebody(document, JSON.parse(Buffer.from(patch, 'base64').toString()) as unknown)
  return changedAs(object, { kind, seenAs: seen }, result)
}

/** A patch that does not fit is a fault of the webhook, not of the client. */
const patchedBySomebody = (document: unknown, patch: unknown): unknown => {
  try {
    return jsonPatched(document, patch)
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
