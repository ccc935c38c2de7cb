// CEL functions of resource quantities. They are exact: values are counted in nano units.
import type { Environment } from '@marcbachmann/cel-js'
import { quantityNano } from '../../core/objects/quantity.ts'

const one = 10n ** 9n

class Quantity {
  readonly nano: bigint
  constructor(nano: bigint) {
    this.nano = nano
  }
}

const quantity = (text: string): Quantity => {
  const nano = quantityNano(text)
  if (nano === undefined)
    throw new Error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
  return new Quantity(nano)
}

const compare = (left: Quantity, right: Quantity): bigint =>
  left.nano === right.nano ? 0n : left.nano < right.nano ? -1n : 1n

const whole = ({ nano }: Quantity): bigint => {
  if (nano % one !== 0n) throw new Error('cannot convert value to integer')
  return nano / one
}

export const addQuantities = (environment: Environment): Environment =>
  environment
    .registerType('Quantity', Quantity)
    .registerFunction('quantity(string): Quantity', quantity)
    .registerFunction('isQuantity(string): bool', (text: string) => quantityNano(text) !== undefined)
    .registerFunction('Quantity.compareTo(Quantity): int', compare)
    .registerFunction(
      'Quantity.isLessThan(Quantity): bool',
      (left: Quantity, right: Quantity) => left.nano < right.nano,
    )
    .registerFunction(
      'Quantity.isGreaterThan(Quantity): bool',
      (left: Quantity, right: Quantity) => left.nano > right.nano,
    )
    .registerFunction('Quantity.sign(): int', (value: Quantity) => compare(value, new Quantity(0n)))
    .registerFunction('Quantity.isInteger(): bool', ({ nano }: Quantity) => nano % one === 0n)
    .registerFunction('Quantity.asInteger(): int', whole)
    .registerFunction('Quantity.asApproximateFloat(): double', ({ nano }: Quantity) => Number(nano) / Number(one))
    .registerFunction(
      'Quantity.add(Quantity): Quantity',
      (left: Quantity, right: Quantity) => new Quantity(left.nano + right.nano),
    )
    .registerFunction(
      'Quantity.sub(Quantity): Quantity',
      (left: Quantity, right: Quantity) => new Quantity(left.nano - right.nano),
    )
    .registerFunction(
      'Quantity.add(int): Quantity',
      (left: Quantity, right: bigint) => new Quantity(left.nano + right * one),
    )
    .registerFunction(
      'Quantity.sub(int): Quantity',
      (left: Quantity, right: bigint) => new Quantity(left.nano - right * one),
    )
