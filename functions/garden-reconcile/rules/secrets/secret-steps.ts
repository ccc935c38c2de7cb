// The steps that create generated Secrets, if a Secret is missing or due for renewal. A CA is created first. Its bundle and the
// certificates that it signs are created in the next pass, which reads the CA. Also the Secrets that are no longer needed.
import type { Step } from '../../../../shared/core/decisions/plan.ts'
import { type KubeObject, refOf } from '../../../../shared/core/objects/object.ts'
import { type SecretRecipe, secretText } from '../../../../shared/core/objects/secret-text.ts'
import { certificatesIn } from '../../../../shared/core/tls/certificate.ts'
import { namespace } from '../../desired/parts/names.ts'
import type { World } from '../../world.ts'
import { usualProvider } from './encryption-key.ts'
import {
  currentBundle,
  currentSecret,
  followedSecret,
  formerSecret,
  generatedSecrets,
  isBundled,
  secretKind,
  unknownSecrets,
  type WantedSecret,
  wantedBundle,
  wantedSecret,
} from './existing-secrets.ts'
import {
  type SecretConfig,
  type SecretConfigName,
  secretConfig,
  secretConfigNames,
  usualDays,
  withSigners,
} from './secret-configs.ts'
import {
  annotated,
  certificateTimes,
  isKeptOfOther,
  madeAtSeconds,
  markedName,
  renewalSeconds,
  successionMark,
} from './secret-metadata.ts'
import { adoptionSources } from './unknown-secrets.ts'

/** The configs whose Secret or bundle does not exist yet. */
export const missingSecrets = (world: World, names: readonly SecretConfigName[]): readonly SecretConfigName[] =>
  names.filter(name => !currentSecret(world, name) || (isBundled(name) && !currentBundle(world, name)))

export const secretSteps = (world: World, names: readonly SecretConfigName[], now: Date): readonly Step[] =>
  names.flatMap(name => {
    const wanted = newSecret(world, name, now)
    const bundle = isBundled(name) && !currentBundle(world, name) ? wantedBundle(world, name) : undefined
    const created = [wanted ?? [], bundle ?? []].flat().map(one => createStep(one, now))
    return [...created, ...labelSteps(world, name), ...followedSteps(world, name, wanted)]
  })

/** Removes labels that we never set, because programs find and judge generated Secrets by their labels. */
const labelSteps = (world: World, name: SecretConfigName): Step[] => {
  const own = { secret: currentSecret(world, name), wanted: wantedSecret(world, name) }
  const bundle = isBundled(name) ? { secret: currentBundle(world, name), wanted: wantedBundle(world, name) } : own
  return [...new Set([own, bundle])].flatMap(({ secret, wanted }) => {
    const known = new Set([...Object.keys(wanted?.labels ?? {}), ...timeLabelNames])
    const foreign = Object.keys(secret?.metadata.labels ?? {}).filter(label => !known.has(label))
    const merge = { metadata: { labels: Object.fromEntries(foreign.map(label => [label, null])) } }
    return secret && foreign.length > 0
      ? [{ do: 'patch', target: secret, merge, isConfidential: true, isConflictPassing: true }]
      : []
  })
}

/**
 * Marks the former key with the name of the current key. If the current key is deleted, the former key still shows that it existed. A
 * renewed CA gets the mark when its follower is created.
 */
const followedSteps = (world: World, name: SecretConfigName, renewal: WantedSecret | undefined): Step[] => {
  const [current, former] = [currentSecret(world, name), followedSecret(world, name)]
  const [followed, follower] = current && renewal?.follows ? [current, renewal.name] : [former, current?.metadata.name]
  return followed && follower !== undefined && markedName(followed, 'followed-by') !== follower
    ? [annotated(followed, successionMark('followed-by', follower))]
    : []
}

const timeLabelNames = ['issued-at-time', 'valid-until-time'] as const

const newSecret = (world: World, name: SecretConfigName, now: Date): WantedSecret | undefined => {
  const current = currentSecret(world, name)
  if (!current) return firstSecret(world, name)
  const due = renewalOf(world, name)
  const wanted = due && now.getTime() >= due * 1000 ? wantedSecret(world, name, String(due)) : undefined
  return wanted && secretConfig(world, name).isOldKept ? { ...wanted, follows: current.metadata.name } : wanted
}

/** When the Secret is due for renewal, in unix seconds. undefined: a rotation renews it, it does not expire, or its CA ends soon. */
const renewalOf = (world: World, name: SecretConfigName): number | undefined => {
  const current = secretConfig(world, name).rotation ? undefined : currentSecret(world, name)
  const due = current && renewalSeconds(current)
  return due && endsSoonAfter(due, wantedSecret(world, name)?.signer) ? undefined : due
}

/** A certificate ends with its CA. If the CA ends soon, every renewed certificate would be due again immediately. */
const endsSoonAfter = (due: number, signer: KubeObject | undefined): boolean => {
  const end = signer && endOf(signer)
  return end !== undefined && end.getTime() / 1000 < due + leastLifeSeconds
}

const leastLifeSeconds = 3600

const endOf = (signer: KubeObject): Date | undefined => certificatesIn(secretText(signer, 'ca.crt'))[0]?.validToDate

/** When the first certificate is due for renewal, in unix seconds. */
export const firstRenewalSeconds = (world: World): number =>
  Math.min(...secretConfigNames.map(name => renewalOf(world, name) ?? Number.POSITIVE_INFINITY))

/** The first Secret of a config, with the data of a Secret to adopt. undefined: users offer several Secrets. */
const firstSecret = (world: World, name: SecretConfigName): WantedSecret | undefined => {
  const [adopted, ...others] = adoptionSources(world, name)
  const [wanted, follows] = [wantedSecret(world, name), followedSecret(world, name)?.metadata.name]
  return others.length > 0 ? undefined : wanted && { ...wanted, adopted, ...(follows && { follows }) }
}

const createStep = (wanted: WantedSecret, now: Date): Step => {
  const recipe = recipeOf(wanted, now)
  const isCertificate = recipe.make === 'certificate'
  const labels = { ...wanted.labels, ...timeLabels(recipe, now) }
  const annotations = wanted.follows && successionMark('follows', wanted.follows)
  const metadata = { name: wanted.name, namespace, labels, ...(annotations && { annotations }) }
  const object = { ...secretKind, metadata, type: isCertificate ? 'kubernetes.io/tls' : 'Opaque', immutable: true }
  return { do: 'createSecret', object, recipe, isConfidential: true }
}

const timeLabels = (recipe: SecretRecipe, now: Date): Record<string, string> =>
  'notAfter' in recipe
    ? { 'issued-at-time': seconds(recipe.notBefore), 'valid-until-time': seconds(recipe.notAfter) }
    : { 'issued-at-time': seconds(now) }

const seconds = (time: Date): string => String(Math.floor(time.getTime() / 1000))

const recipeOf = ({ name, config, signer, texts, adopted }: WantedSecret, now: Date): SecretRecipe => {
  if (adopted) return { make: 'copy', source: refOf(adopted) }
  return texts || !config || config.make === 'kubeconfig'
    ? { make: 'given', texts: texts ?? {} }
    : recipeFor(config, { name, signer, now })
}

type Making = { readonly name: string; readonly signer?: KubeObject; readonly now: Date }

const recipeFor = (
  config: Exclude<SecretConfig, { make: 'kubeconfig' }>,
  { name, signer, now }: Making,
): SecretRecipe => {
  switch (config.make) {
    case 'authority':
      return { make: 'authority', commonName: name, ...certificateTimes(now, config.days) }
    case 'certificate': {
      const { commonName, uses, names, hasAuthority, organization, minutes } = config
      if (!signer) throw new TypeError(`the certificate authority ${name} does not exist`)
      const { notBefore, notAfter } = certificateTimes(now, minutes === undefined ? usualDays : minutes / 1440)
      const end = endOf(signer) ?? notAfter
      const until = end < notAfter ? end : notAfter
      const subject = {
        commonName,
        uses,
        names,
        ...(hasAuthority && { hasAuthority }),
        ...(organization && { organization }),
      }
      return { make: 'certificate', signer: refOf(signer), ...subject, notBefore, notAfter: until }
    }
    case 'rsaKey':
      return { make: 'rsaKey', bits: config.bits }
    case 'encryptionKey':
      return { make: 'encryptionKey', keyName: `key${seconds(now)}`, provider: config.provider ?? usualProvider }
    case 'staticToken':
    case 'basicAuth':
      return { make: config.make, user: config.user }
  }
}

/**
 * Generated Secrets that are no longer needed: Secrets of configs that no step requests, and former Secrets that were replaced. They are deleted
 * once all steps are ready, so that no running program still reads them. Secrets of the CAs that sign requested Secrets are kept. An unknown key
 * is not deleted, because objects may be encrypted with this key.
 */
export const leftoverSecrets = (world: World, names: readonly SecretConfigName[], now: Date): readonly KubeObject[] => {
  const kept = withSigners(world, names)
    .flatMap(name => neededSecrets(world, name, now))
    .map(({ metadata }) => metadata.name)
  const unknown = new Set(secretConfigNames.flatMap(name => unknownSecrets(world, name)))
  return generatedSecrets(world).filter(
    secret => !kept.includes(secret.metadata.name) && !unknown.has(secret) && !isKeptOfOther(world.garden, secret),
  )
}

const neededSecrets = (world: World, name: SecretConfigName, now: Date): readonly KubeObject[] => {
  const current = currentSecret(world, name)
  const former = isFormerOver(world, name, now) ? undefined : formerSecret(world, name)
  const bundle = isBundled(name) ? currentBundle(world, name) : undefined
  return [current ?? [], former ?? [], bundle ?? []].flat()
}

/** For a CA that is renewed without a rotation: all clients trust the new CA, because `formerHours` have passed. */
const isFormerOver = (world: World, name: SecretConfigName, now: Date): boolean => {
  const { formerHours } = secretConfig(world, name)
  const current = currentSecret(world, name)
  const made = current && madeAtSeconds(current)
  return formerHours !== undefined && made !== undefined && now.getTime() / 1000 >= made + formerHours * 3600
}
