// Runs the configured admission webhooks: mutating ones one after the other (and again where asked), validating ones at
// once.
import { randomUUID } from 'node:crypto'
import type { KubeObject } from '../../core/objects/object.ts'
import { userInfo } from '../identity/user.ts'
import type { Kind } from '../kinds/kind.ts'
import type { Registry } from '../kinds/registry.ts'
import { typedObject } from '../kinds/typed.ts'
import { jsonPatched, PatchFault } from '../patch/json-patch.ts'
import { badRequest, internal, type StatusDetails, StatusError } from '../status.ts'
import type { Store } from '../storage/store.ts'
import { fieldsAt, type JsonMap, listAt, mapOrEmpty, mapsAt, sameJson, textAt } from '../value.ts'
import type { Attributes } from './attributes.ts'
import { type WebhookCaller, WebhookFailure } from './call-webhook.ts'
import { asKind, wantedKind } from './match.ts'
import { refuseImmortal } from './namespace-life.ts'

const mutatingCollection = 'admissionregistration.k8s.io/mutatingwebhookconfigurations'
const validatingCollection = 'admissionregistration.k8s.io/validatingwebhookconfigurations'

export class Webhooks {
  readonly #store: Store
  readonly #registry: Registry
  readonly #caller: WebhookCaller

  constructor(store: Store, registry: Registry, caller: WebhookCaller) {
    this.#store = store
    this.#registry = registry
    this.#caller = caller
  }

  async mutate(attributes: Attributes & { object: KubeObject }): Promise<KubeObject> {
    const webhooks = this.#configured(mutatingCollection)
    if (webhooks.length === 0) return attributes.object
    let object = attributes.object
    const again: JsonMap[] = []
    for (const webhook of webhooks) {
      const before = object
      object = await this.#mutateBy(webhook, { ...attributes, object })
      if (!sameJson(before, object))
        again.splice(0, again.length, ...webhooks.slice(0, webhooks.indexOf(webhook)).filter(needsReinvocation))
    }
    for (const webhook of again) object = await this.#mutateBy(webhook, { ...attributes, object })
    return object
  }

  async validate(attributes: Attributes): Promise<void> {
    refuseImmortal(attributes)
    const webhooks = this.#configured(validatingCollection)
    if (webhooks.length === 0) return
    await Promise.all(webhooks.map(webhook => this.#call(webhook, attributes, 'validating')))
  }

  #configured(collection: string): JsonMap[] {
    const configurations = [...this.#store.collection(collection).values()].map(({ object }) => object)
    return configurations
      .sort((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1))
      .flatMap(configuration => mapsAt(configuration, 'webhooks'))
  }

  async #mutateBy(webhook: JsonMap, attributes: Attributes & { object: KubeObject }): Promise<KubeObject> {
    const answered = await this.#call(webhook, attributes, 'mutating')
    const patch = answered && textAt(answered.response, 'patch')
    if (!answered || !patch) return attributes.object
    return patchedBy(attributes, answered.kind, patch)
  }

  /** The webhook's answer when it was asked and allowed the write. */
  async #call(
    webhook: JsonMap,
    attributes: Attributes,
    phase: 'mutating' | 'validating',
  ): Promise<{ response: JsonMap; kind: Kind } | undefined> {
    const kind = wantedKind(webhook, attributes, this.#store, this.#registry)
    if (!kind) return undefined
    refuseSideEffects(webhook, attributes)
    const response = await this.#ask(webhook, attributes, kind)
    if (!response) return undefined
    for (const warning of listAt(response, 'warnings')) attributes.warnings.add(String(warning))
    if (response.allowed !== true) throw denial(String(webhook.name), response)
    if (phase === 'mutating' && response.patch !== undefined && response.patchType !== 'JSONPatch')
      throw internal(
        `failed calling webhook ${JSON.stringify(webhook.name)}: webhook response patch type ${JSON.stringify(response.patchType ?? '')} is not supported`,
      )
    return { response, kind }
  }

  async #ask(webhook: JsonMap, attributes: Attributes, kind: Kind): Promise<JsonMap | undefined> {
    try {
      return await this.#caller.review(webhook, reviewOf(webhook, attributes, kind))
    } catch (error) {
      if (!(error instanceof WebhookFailure)) throw error
      if (webhook.failurePolicy === 'Ignore') return undefined
      throw internal(`failed calling webhook ${JSON.stringify(webhook.name)}: ${error.message}`)
    }
  }
}

const needsReinvocation = (webhook: JsonMap): boolean => webhook.reinvocationPolicy === 'IfNeeded'

const refuseSideEffects = (webhook: JsonMap, { isDryRun }: Attributes): void => {
  if (isDryRun && webhook.sideEffects !== 'None' && webhook.sideEffects !== 'NoneOnDryRun')
    throw badRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`)
}

const reviewOf = (webhook: JsonMap, attributes: Attributes, kind: Kind): JsonMap => {
  const { kind: requested, operation, user, isDryRun, subresource, namespace } = attributes
  const version = listAt(webhook, 'admissionReviewVersions').find(each => each === 'v1' || each === 'v1beta1') ?? 'v1'
  const resource = (each: Kind) => ({ group: each.group, version: each.version, resource: each.plural })
  const type = (each: Kind) => ({ group: each.group, version: each.version, kind: each.kind })
  const place = requested.namespaced ? namespace : requested.collection === 'namespaces' ? attributes.name : ''
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid: randomUUID(),
      kind: type(kind),
      resource: resource(kind),
      ...(subresource && { subResource: subresource, requestSubResource: subresource }),
      requestKind: type(requested),
      requestResource: resource(requested),
      ...(attributes.name && { name: attributes.name }),
      ...(place && { namespace: place }),
      operation,
      userInfo: userInfo(user),
      object: asKind(attributes.object, requested, kind),
      oldObject: asKind(attributes.before, requested, kind),
      dryRun: isDryRun,
      options: { kind: optionsKind[operation], apiVersion: 'meta.k8s.io/v1', ...(isDryRun && { dryRun: ['All'] }) },
    },
  }
}

const optionsKind = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const

const patchedBy = ({ object, kind }: Attributes & { object: KubeObject }, seen: Kind, patch: string): KubeObject => {
  const document = asKind(object, kind, seen)
  const result = patchedBySomebody(document, JSON.parse(Buffer.from(patch, 'base64').toString()) as unknown)
  const typed = typedObject(seen, mapOrEmpty(result), [])
  const back = asKind(typed, seen, kind) ?? object
  const { managedFields } = object.metadata
  const { managedFields: _, ...metadata } = back.metadata
  return { ...back, metadata: managedFields ? { ...metadata, managedFields } : metadata }
}

/** A webhook's patch that does not fit is no fault of the client's. */
const patchedBySomebody = (document: unknown, patch: unknown): unknown => {
  try {
    return jsonPatched(document, patch)
  } catch (error) {
    throw error instanceof PatchFault ? internal(error.why) : error
  }
}

/** A denial as the API server words it: the webhook's status with its name before the message. */
const denial = (name: string, response: JsonMap): StatusError => {
  const status = fieldsAt(response, 'status') ?? {}
  const code = typeof status.code === 'number' && status.code !== 0 ? status.code : 400
  const reason = textAt(status, 'reason')
  const subject = `admission webhook ${JSON.stringify(name)} denied the request`
  const message = textAt(status, 'message') || reason
  const details = fieldsAt(status, 'details') as StatusDetails | undefined
  return new StatusError(code, reason, message ? `${subject}: ${message}` : `${subject} without explanation`, details)
}
