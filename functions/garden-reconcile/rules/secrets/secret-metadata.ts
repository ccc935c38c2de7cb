// What names, labels and annotations say about generated Secrets: how a Secret was made and when it is renewed, which Secret it follows, and what
// the Garden records about its Secrets.
import type { Step } from '../../../../shared/core/decisions/plan.ts'
import { sha256Hex } from '../../../../shared/core/digest.ts'
import { canonicalJson, isMap, isText, mapOrEmpty, parsedJson } from '../../../../shared/core/json/json.ts'
import { remembered } from '../../../../shared/core/memory/remembered.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { prefixes } from '../../desired/parts/names.ts'

/**
 * An annotation on a key's Secret, which exists as long as the key, even if the status is lost or edited or the Deployment is replaced. Its
 * value is the name of another Secret of the config. `follows`: this Secret was created to replace the other Secret. `followed-by`: the
 * other Secret was created to replace this Secret. `replaces`: everything that was made with the other Secret has been renewed.
 */
type SuccessionMark = 'follows' | 'followed-by' | 'replaces'

export const markedName = (secret: KubeObject | undefined, mark: SuccessionMark): string | undefined =>
  secret?.metadata.annotations?.[`${prefixes.credentials}/${mark}`]

export const successionMark = (mark: SuccessionMark, name: string): Record<string, string> => ({
  [`${prefixes.credentials}/${mark}`]: name,
})

/** Sets these annotations. An annotation with value null is removed. */
export const annotated = (target: KubeObject, annotations: Readonly<Record<string, string | null>>): Step => ({
  do: 'patch',
  target,
  merge: { metadata: { annotations } },
  isConflictPassing: true,
  isConfidential: true,
})

const textsIn = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(mapOrEmpty(value)).filter((pair): pair is [string, string] => isText(pair[1])))

/**
 * An annotation of the Garden that records which Secrets a rotation replaces: the names of former Secrets by the names of the new Secrets. It is
 * written when the rotation starts, before any Secret is created. Example: `{"ca-3b1f0a9c-d66f7":"ca-3b1f0a9c"}`.
 */
const formerAnnotation = `${prefixes.credentials}/former-secrets`

export const formerNamesIn = ({ metadata }: Pick<KubeObject, 'metadata'>): Readonly<Record<string, string>> =>
  textsIn(parsedJson(metadata.annotations?.[formerAnnotation] ?? ''))

export const formerNamesAnnotation = (names: Readonly<Record<string, string>>): Record<string, string> => ({
  [formerAnnotation]: JSON.stringify(names),
})

/**
 * An annotation of the Garden with what it keeps from a former operator, written before we create any object. The names of the former operator's
 * Secrets contain a checksum of its config. With the same checksum we find its Secrets, and give new Secrets names that the former operator
 * would find. Example: `{"until":"2026-03-01T11:00:00Z","checksums":{"ca":"1645436262831067767"}}`.
 */
const takenOverAnnotation = `${prefixes.credentials}/taken-over`

type TakenOver = {
  /** When the former operator last wrote the status. Empty: the Garden was never taken over. */
  readonly until: string
  /** The label `checksum-of-config` of the former operator's keys, by config. */
  readonly checksums: Readonly<Record<string, string>>
}

export const takenOver = remembered(({ metadata }: Pick<KubeObject, 'metadata'>): TakenOver => {
  const { until, checksums } = mapOrEmpty(parsedJson(metadata.annotations?.[takenOverAnnotation] ?? ''))
  return { until: isText(until) ? until : '', checksums: textsIn(checksums) }
})

export const takenOverPatch = (kept: TakenOver): { readonly metadata: object } => ({
  metadata: { annotations: { [takenOverAnnotation]: JSON.stringify(kept) } },
})

/** Whether programs of the former operator may mount the Secret. Keys are excluded, because a rotation deletes former keys. */
export const isKeptOfOther = (garden: KubeObject, { metadata }: KubeObject): boolean => {
  const { until, checksums } = takenOver(garden)
  return (metadata.creationTimestamp ?? '9') <= until && checksums[metadata.labels?.name ?? ''] === undefined
}

type NameParts = {
  readonly config: string
  /** A decimal number. */
  readonly checksum: string
  readonly signerChecksum?: string
  /** Unix seconds. */
  readonly rotationTime?: string
}

/**
 * The name depends only on the inputs of the Secret, so two concurrent calls choose the same name and create only one key. Example:
 * `ca-3b1f0a9c-d66f7` is the config's name, a hash of config and signer, and a hash of the rotation's time.
 */
export const generatedName = ({ config, checksum, signerChecksum = '', rotationTime = '' }: NameParts): string => {
  const checksums = checksum + signerChecksum
  return (
    config +
    (checksums && `-${sha256Hex(checksums).slice(0, 8)}`) +
    (rotationTime && `-${sha256Hex(rotationTime).slice(0, 5)}`)
  )
}

/** A 64-bit number in decimal. The order of fields and empty fields do not change the checksum. */
export const configChecksum = (config: object): string =>
  BigInt(`0x${sha256Hex(canonicalJson(withoutZeros(config))).slice(0, 16)}`).toString()

/** The value of label checksum-of-signing-ca. */
export const dataChecksum = (data: unknown): string => sha256Hex(canonicalJson(data)).slice(0, 63)

const withoutZeros = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutZeros)
  if (!isMap(value)) return value
  const fields = Object.entries(value).map(([field, inner]) => [field, withoutZeros(inner)] as const)
  return Object.fromEntries(fields.filter(([, inner]) => !isZero(inner)))
}

const isZero = (value: unknown): boolean =>
  !value || (Array.isArray(value) ? value.length === 0 : isMap(value) && Object.keys(value).length === 0)

/** A certificate is valid from one minute before its creation, for clients whose clocks are behind. Label issued-at-time has this time. */
const skewSeconds = 60

export const certificateTimes = (now: Date, days: number): { readonly notBefore: Date; readonly notAfter: Date } => {
  const made = Math.floor(now.getTime() / 1000)
  return { notBefore: new Date((made - skewSeconds) * 1000), notAfter: new Date((made + days * 86_400) * 1000) }
}

/** When the Secret was created, in unix seconds, computed from its labels. undefined: the label is missing. */
export const madeAtSeconds = (secret: KubeObject): number | undefined => {
  const issued = labelSeconds(secret, 'issued-at-time')
  return issued && labelSeconds(secret, 'valid-until-time') ? issued + skewSeconds : issued
}

/** The time after 80 % of the lifetime, in unix seconds. All calls compute the same second, so they create only one new Secret. */
export const renewalSeconds = (secret: KubeObject): number | undefined => {
  const [from, to] = [madeAtSeconds(secret), labelSeconds(secret, 'valid-until-time')]
  return from && to ? Math.floor(from + 0.8 * (to - from)) : undefined
}

const labelSeconds = ({ metadata }: KubeObject, label: string): number | undefined =>
  Number(metadata.labels?.[label]) || undefined
