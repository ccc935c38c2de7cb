// Generated Secrets of a Garden: made quickly, with elliptic keys where the real ones are large RSA keys, or as they really are.
import type { SecretConfigName } from '../../../functions/garden-reconcile/rules/secrets/secret-configs.ts'
import { secretSteps } from '../../../functions/garden-reconcile/rules/secrets/secret-steps.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import type { Step } from '../../../shared/core/decisions/plan.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { encodedTexts, type SecretRecipe } from '../../../shared/core/objects/secret-text.ts'
import { secretData } from '../../../shared/outside/certificates.ts'
import { newAuthority, newKeyPair } from '../../harness/clients/certificates.ts'

/** The Secrets of the world, and one more. */
export const withSecrets = (world: World, ...secrets: readonly KubeObject[]): World => ({
  ...world,
  runtime: new Map([...world.runtime, ['v1 Secret', [...secretsIn(world), ...secrets]]]),
})

export const secretsIn = ({ runtime }: World): readonly KubeObject[] => runtime.get('v1 Secret') ?? []

/** The world in which all these Secrets are there: authorities are made in one pass, what they sign in the next. */
export const madeSecrets = (world: World, names: readonly SecretConfigName[], at: Date): Promise<World> =>
  allMade(world, names, { at, dataOf: quickData })

/** The same with the keys that a Garden has, which take seconds. */
export const trueSecrets = (world: World, names: readonly SecretConfigName[], at: Date): Promise<World> =>
  allMade(world, names, { at, dataOf: secretData })

type Making = {
  readonly at: Date
  readonly dataOf: (recipe: SecretRecipe, source: KubeObject | undefined) => Promise<Record<string, string>>
}

const allMade = async (world: World, names: readonly SecretConfigName[], making: Making): Promise<World> => {
  const made = await passed(world, names, making)
  return made === world ? world : allMade(made, names, making)
}

const passed = async (world: World, names: readonly SecretConfigName[], { at, dataOf }: Making): Promise<World> => {
  const steps = secretSteps(world, names, at)
  const created = steps.map(async (step): Promise<KubeObject | []> => {
    if (step.do !== 'createSecret') return []
    const { recipe, object } = step
    const named = 'signer' in recipe ? recipe.signer : 'source' in recipe ? recipe.source : undefined
    const source = secretsIn(world).find(({ metadata }) => metadata.name === named?.name)
    const metadata = { ...object.metadata, creationTimestamp: at.toISOString() }
    return { ...object, metadata, data: await dataOf(recipe, source) }
  })
  return steps.length === 0 ? world : withSecrets(patched(world, steps), ...(await Promise.all(created)).flat())
}

/** The world after these patches of its Secrets. */
export const patched = (world: World, steps: readonly Step[]): World => {
  const after = (secret: KubeObject): KubeObject => {
    const merges = steps.flatMap(step => (step.do === 'patch' && step.target === secret ? [step.merge] : []))
    return merges.reduce<KubeObject>((one, merge) => mergePatched(one, merge) as KubeObject, secret)
  }
  return { ...world, runtime: new Map([...world.runtime, ['v1 Secret', secretsIn(world).map(after)]]) }
}

const quickData = async (recipe: SecretRecipe, source?: KubeObject): Promise<Record<string, string>> => {
  if (recipe.make === 'authority') {
    const { certificate, key } = await newAuthority(recipe.commonName)
    return encodedTexts({ 'ca.crt': `${certificate}\n`, 'ca.key': key })
  }
  if (recipe.make !== 'rsaKey') return secretData(recipe, source)
  const { privateKey, publicKey } = await newKeyPair()
  return encodedTexts({ id_rsa: privateKey, 'id_rsa.pub': publicKey })
}
