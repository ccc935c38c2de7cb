// The generated Secrets, for builders of desired objects. Builders are called when all Secrets of their step exist (rules/step.ts). A
// missing Secret is a mistake in the table of steps, so the builder throws.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { encodedText, secretText } from '../../../../shared/core/objects/secret-text.ts'
import type { World } from '../../world.ts'
import { currentBundle, currentSecret } from './existing-secrets.ts'
import type { AuthorityName, BundledName, SecretConfigName } from './secret-names.ts'

export const secretNow = (world: World, name: SecretConfigName): KubeObject => {
  const secret = currentSecret(world, name)
  if (secret) return secret
  throw new TypeError(`the Secret of ${name} does not exist`)
}

/** The Secret with the current and the former certificates (`bundle.crt`) or public keys (`bundle.key`). */
export const bundleNow = (world: World, name: BundledName): KubeObject => {
  const bundle = currentBundle(world, name)
  if (bundle) return bundle
  throw new TypeError(`the bundle of ${name} does not exist`)
}

/** The CA bundle that verifies certificates of this CA, in base64, as webhooks and kubeconfigs hold it. */
export const caBundleNow = (world: World, name: AuthorityName): string =>
  encodedText(secretText(bundleNow(world, name), 'bundle.crt'))
