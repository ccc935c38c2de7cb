// What builders ask of the generated Secrets. They are called for steps whose secrets are there (rules/step.ts), so a Secret that is
// missing is a fault in the table of steps.
import type { KubeObject } from '../../../../shared/core/object.ts'
import type { World } from '../../world.ts'
import type { BundledName, SecretConfigName } from './secret-names.ts'

/** The Secret that counts now. */
export const secretNow = (_world: World, name: SecretConfigName): KubeObject => {
  throw new TypeError(`the Secret of ${name} is not there`)
}

/** The Secret with the current and the former certificates (`bundle.crt`) or public keys (`bundle.key`). */
export const bundleNow = (_world: World, name: BundledName): KubeObject => {
  throw new TypeError(`the bundle of ${name} is not there`)
}

/** The text of one of its keys: `textIn(bundleNow(world, 'ca'), 'bundle.crt')`. */
export const textIn = (secret: KubeObject, key: string): string => {
  const { data } = secret as { data?: Record<string, string> }
  return Buffer.from(data?.[key] ?? '', 'base64').toString()
}
