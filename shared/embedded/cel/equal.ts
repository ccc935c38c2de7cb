// Whether two CEL values are equal, by all that is in them; and so also optional ones, which the library does not compare.
import type { Environment, Optional } from '@marcbachmann/cel-js'

export const celEqual = (left: unknown, right: unknown): boolean => spelled(left) === spelled(right)

const spelled = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner)) ?? 'null'

/** Values that may be compared with null although they are never null. */
const nullable = ['optional<list<string>>', 'google.protobuf.Timestamp', 'google.protobuf.Duration']

export const addEqualities = (environment: Environment): Environment => {
  environment.registerOperator('optional<T> == optional<T>', (left: Optional, right: Optional) =>
    left.hasValue() && right.hasValue() ? celEqual(left.value(), right.value()) : left.hasValue() === right.hasValue(),
  )
  for (const type of nullable) environment.registerOperator(`${type} == null`, () => false)
  return environment
}
