// What builders ask of the generated Secrets. They are called for steps whose secrets are there (rules/step.ts), so a Secret that is
// missing is a fault in the table of steps.
import type { KubeObject } from '../../../../shared/core/object.ts'
import { encodedText, secretText } from '../../../../shared/core/secret-text.ts'
import type { World } from '../../world.ts'
import { currentBundle, currentSecret } from './existing-secrets.ts'
import type { AuthorityName, BundledName, SecretConfigName } from './secret-names.ts'

/** The Secret that counts now. */
export const secretNow = (world: World, name: SecretConfigName): KubeObject => {
  const secret = currentSecret(world, name)
  if (secret) return secret
  throw new TypeError(`the Secret of ${name} is not there`)
}

/** The Secret with the current and the former certificates (`bundle.crt`) or public keys (`bundle.key`). */
export const bundleNow = (world: World, name: BundledName): KubeObject => {
  const bundle = currentBundle(world, name)
  if (bundle) return bundle
  throw new TypeError(`the bundle of ${name} is not there`)
}

/** Whom to trust for what this authority signs, as webhooks and kubeconfigs hold it. */
export const caBundleNow = (world: World, name: AuthorityName): string =>
  encodedText(secretText(bundleNow(world, name), 'bundle.crt'))
