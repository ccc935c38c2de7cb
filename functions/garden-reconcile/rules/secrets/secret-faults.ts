// Why a Secret in the cluster cannot be used as a generated Secret. Possible faults: another program created the Secret with our name, the
// content is incomplete or invalid, or users offer two Secrets for one config. Nothing is overwritten, because a lost key cannot be
// restored. A user must check the Secret and delete it.
import { createPrivateKey } from 'node:crypto'
import { attempted } from '../../../../shared/core/decisions/reading.ts'
import { rememberedByName } from '../../../../shared/core/memory/remembered.ts'
import { type KubeObject, refOf, refText } from '../../../../shared/core/objects/object.ts'
import { secretText } from '../../../../shared/core/objects/secret-text.ts'
import { certificatesIn, hasKey } from '../../../../shared/core/tls/certificate.ts'
import type { World } from '../../world.ts'
import { adoptionSources } from './adoption.ts'
import { isEncryptionKey } from './encryption-key.ts'
import {
  currentBundle,
  currentSecret,
  formerSecret,
  identity,
  isBundled,
  isSignedBy,
  type WantedSecret,
  wantedBundle,
  wantedSecret,
} from './existing-secrets.ts'
import { type SecretConfig, secretConfig, withSigners } from './secret-configs.ts'
import type { SecretConfigName } from './secret-names.ts'
import { successionFaults } from './succession-faults.ts'

/** Faults of these configs' Secrets, and of the CAs that sign these Secrets. Each fault names the Secret. */
export const secretFaults = (world: World, names: readonly SecretConfigName[]): readonly string[] =>
  withSigners(world, names).flatMap(name => faultsOfConfig(world, name))

/** Cached, because many steps need the same Secrets, and each check takes a millisecond. */
const faultsOfConfig = rememberedByName((world: World, name: SecretConfigName): readonly string[] => {
  const current = currentSecret(world, name)
  if (!current) return [...adoptionFaults(world, name), ...successionFaults(world, name)]
  const own = [current, formerSecret(world, name) ?? []].flat().flatMap(secret => faultsOf(world, name, secret))
  return [...own, ...bundleFaults(world, name), ...successionFaults(world, name)]
})

const adoptionFaults = (world: World, name: SecretConfigName): readonly string[] => {
  const sources = adoptionSources(world, name)
  if (sources.length > 1)
    return [`${sources.map(textOfRef).sort().join(', ')}: only one of them can be used for ${name}`]
  const config = secretConfig(world, name)
  return sources.filter(source => !isWhole[config.make](source, config)).map(broken)
}

const faultsOf = (world: World, name: SecretConfigName, secret: KubeObject): readonly string[] => {
  if (isForeign(secret, name)) return [foreign(secret)]
  const { signer, texts } = (isCurrent(world, name, secret) ? wantedSecret(world, name) : undefined) ?? {}
  const config = secretConfig(world, name)
  const isUsable =
    isWhole[config.make](secret, config) && (!signer || isSignedBy(signer, secret)) && holds(secret, texts)
  return isUsable ? [] : [broken(secret)]
}

const isCurrent = (world: World, name: SecretConfigName, { metadata }: KubeObject): boolean =>
  wantedSecret(world, name)?.name === metadata.name

const bundleFaults = (world: World, name: SecretConfigName): readonly string[] => {
  if (!isBundled(name)) return []
  const [bundle, wanted] = [currentBundle(world, name), wantedBundle(world, name)]
  if (!bundle) return []
  if (isForeign(bundle, `${name}-bundle`)) return [foreign(bundle)]
  return holds(bundle, wanted?.texts) ? [] : [broken(bundle)]
}

const holds = (secret: KubeObject, texts: WantedSecret['texts'] = {}): boolean =>
  Object.entries(texts).every(([key, text]) => secretText(secret, key) === text)

const isForeign = ({ metadata: { labels } }: KubeObject, name: string): boolean =>
  Object.entries({ ...identity, name }).some(([label, value]) => labels?.[label] !== value)

const textOfRef = (secret: KubeObject): string => refText(refOf(secret))
const foreign = (secret: KubeObject): string =>
  `${textOfRef(secret)}: has the name of a generated Secret, but not its labels; delete it if nothing uses it`
const broken = (secret: KubeObject): string => `${textOfRef(secret)}: its content is incomplete or invalid`

const isPair = (secret: KubeObject, certificateKey: string, privateKey: string): boolean => {
  const [certificate] = certificatesIn(secretText(secret, certificateKey))
  return certificate !== undefined && hasKey(certificate, secretText(secret, privateKey))
}

const hasTexts =
  (...keys: readonly string[]) =>
  (secret: KubeObject): boolean =>
    keys.every(key => secretText(secret, key) !== '')

/** Whether the Secret has one line: a token, the name and the id of the config's user, and no group. */
const isTokenOf = (secret: KubeObject, config: SecretConfig): boolean => {
  const [token, ...user] = secretText(secret, 'static_tokens.csv').trim().split(',')
  return Boolean(token) && 'user' in config && user.join() === `${config.user},${config.user},`
}

const isWhole: Record<SecretConfig['make'], (secret: KubeObject, config: SecretConfig) => boolean> = {
  authority: secret => isPair(secret, 'ca.crt', 'ca.key'),
  certificate: secret => isPair(secret, 'tls.crt', 'tls.key'),
  rsaKey: secret => 'read' in attempted(() => createPrivateKey(secretText(secret, 'id_rsa'))),
  encryptionKey: isEncryptionKey,
  staticToken: isTokenOf,
  basicAuth: hasTexts('username', 'password', 'auth'),
  kubeconfig: hasTexts('kubeconfig'),
}
