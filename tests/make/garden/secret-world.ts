// Worlds of garden-reconcile in which all generated Secrets are there. Their content is a word about what it would be: no program
// reads them, so no key is made.
import { kindText, objectsOf } from '../../../functions/garden-reconcile/rules/objects.ts'
import {
  isBundled,
  secretKind,
  type WantedSecret,
  wantedBundle,
  wantedSecret,
} from '../../../functions/garden-reconcile/rules/secrets/existing-secrets.ts'
import { secretConfigNames } from '../../../functions/garden-reconcile/rules/secrets/secret-configs.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { encodedTexts } from '../../../shared/core/objects/secret-text.ts'
import { gardenWorld } from './garden-world.ts'

/** Those of the world, and the generated ones. */
export const worldWithSecrets = (given: Partial<World> = {}): World =>
  secretConfigNames.reduce((world, name) => {
    const made = withSecret(world, wantedSecret(world, name))
    return isBundled(name) ? withSecret(made, wantedBundle(made, name)) : made
  }, gardenWorld(given))

/** The same, with these objects in the runtime cluster. */
export const withRuntime = (world: World, ...added: readonly KubeObject[]): World => {
  const runtime = new Map(world.runtime)
  for (const object of added) runtime.set(kindText(object), [...objectsOf(runtime, object), object])
  return { ...world, runtime }
}

const withSecret = (world: World, wanted: WantedSecret | undefined): World => {
  if (wanted === undefined) throw new TypeError('a Secret comes before what it is made from')
  const { name, labels, texts } = wanted
  const data = encodedTexts(texts ?? placeholders(name))
  return withRuntime(world, { ...secretKind, metadata: { name, namespace: 'garden', labels: { ...labels } }, data })
}

const keys = ['ca.crt', 'ca.key', 'tls.crt', 'tls.key', 'id_rsa', 'token', 'username', 'password']

const placeholders = (name: string): Record<string, string> => ({
  ...Object.fromEntries(keys.map(key => [key, `${key} of ${name}\n`])),
  'static_tokens.csv': 'secret,health-check,health-check,',
  key: 'key1',
  secret: '0'.repeat(32),
  encoding: 'none',
  ...(name.startsWith('observability-ingress') && { username: 'admin', password: 'secret' }),
})
