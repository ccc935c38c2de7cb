// How an API server encrypts what it stores. The first key encrypts, all of them decrypt; what is not encrypted yet can be read too.
import { stringify } from 'yaml'
import type { KubeObject } from '../../../../shared/core/object.ts'
import type { SecretConfigName } from '../../rules/secrets/secret-names.ts'
import { secretNow, textIn } from '../../rules/secrets/secrets-now.ts'
import type { World } from '../../world.ts'
import { configSecret } from '../parts/config-object.ts'

/** The Secret with the file `encryption-configuration.yaml` for these resources. */
export const encryptionConfiguration = (
  world: World,
  keyConfig: SecretConfigName,
  resources: readonly string[],
): KubeObject => {
  const providers = [{ aescbc: { keys: encryptionKeys(world, keyConfig) } }, { identity: {} }]
  const file = {
    ...{ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration' },
    resources: [{ resources: [...resources], providers }],
  }
  const name = keyConfig.replace('-key', '-configuration')
  return configSecret(name, { 'encryption-configuration.yaml': stringify(file) })
}

type EncryptionKey = { readonly name: string; readonly secret: string }

const encryptionKeys = (world: World, keyConfig: SecretConfigName): EncryptionKey[] => [
  encryptionKey(secretNow(world, keyConfig)),
]

/** Our keys are bytes as they are; those of others may be encoded already. */
const encryptionKey = (secret: KubeObject): EncryptionKey => {
  const { data } = secret as { data?: Record<string, string> }
  const isPlain = textIn(secret, 'encoding') === 'none'
  return { name: textIn(secret, 'key'), secret: isPlain ? (data?.secret ?? '') : textIn(secret, 'secret') }
}
