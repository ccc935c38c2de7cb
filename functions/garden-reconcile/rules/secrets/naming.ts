// The name of a generated Secret. The name depends only on the inputs of the Secret, so two concurrent calls choose the same name and
// create only one key. Example: `ca-3b1f0a9c-d66f7` is the config's name, a hash of config and signer, and a hash of the rotation's time.
import { sha256Hex } from '../../../../shared/core/digest.ts'
import { canonicalJson, isMap } from '../../../../shared/core/json/json.ts'

type NameParts = {
  readonly config: string
  /** A decimal number. */
  readonly checksum: string
  readonly signerChecksum?: string
  /** Unix seconds. */
  readonly rotationTime?: string
}

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
