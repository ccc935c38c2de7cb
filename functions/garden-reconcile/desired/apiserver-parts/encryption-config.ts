// How an API server encrypts stored objects. The first key encrypts, and all keys decrypt. Objects that are not encrypted yet can also be
// read. rules/rotation decides which keys the file has during a rotation.
import { alwaysEncrypted } from '../../../../shared/api/garden/gardener-names.ts'
import { mapOrEmpty } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { secretText } from '../../../../shared/core/objects/secret-text.ts'
import { yamlOrNothing } from '../../../../shared/core/yaml/read.ts'
import { yamlOf } from '../../../../shared/core/yaml/write.ts'
import type { EncryptingServer, EncryptionKey } from '../../rules/rotation/encryption-moves.ts'
import {
  type EncryptionConfigName,
  encryptedInFiles,
  isServedBy,
  keyConfigOf,
  keysInPhase,
  onlyReadResources,
} from '../../rules/rotation/encryption-state.ts'
import { type KeyInFile, keyInFile } from '../../rules/secrets/encryption-key.ts'
import { formerSecret, secretNow } from '../../rules/secrets/existing-secrets.ts'
import type { World } from '../../world.ts'
import { configSecret } from '../parts/config-object.ts'

const fileName = 'encryption-configuration.yaml'

export const encryptionConfiguration = (world: World, server: EncryptingServer): KubeObject => {
  const file = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: fileRules(world, server),
  }
  return configSecret(`${server}-etcd-encryption-configuration`, { [fileName]: yamlOf(file) })
}

/** The first provider of a rule writes objects; all its providers can read objects. */
export const fileRules = (world: World, server: EncryptingServer) => {
  const { garden } = world
  const [keys, identity] = [providersOf(encryptionKeys(world, keyConfigOf(server))), { identity: {} }]
  const ofServer = (resources: readonly string[]) => resources.filter(one => isServedBy(server, one))
  const read = ofServer(onlyReadResources(garden))
  const written = ofServer(encryptedInFiles(garden)).filter(one => !read.includes(one))
  return [
    { resources: [...written, ...alwaysEncrypted[server]], providers: [...keys, identity] },
    ...(read.length > 0 ? [{ resources: read, providers: [identity, ...keys] }] : []),
  ]
}

const providersOf = (keys: readonly KeyInFile[]) =>
  [...new Set(keys.map(({ provider }) => provider))].map(provider => ({
    [provider]: { keys: keys.filter(key => key.provider === provider).map(({ name, secret }) => ({ name, secret })) },
  }))

/** The keys for the file in this phase of the rotation. A key that was never replaced has no former key. */
const encryptionKeys = (world: World, keyConfig: EncryptionConfigName): KeyInFile[] => {
  const secrets: Record<EncryptionKey, () => KubeObject | undefined> = {
    current: () => secretNow(world, keyConfig),
    former: () => formerSecret(world, keyConfig),
  }
  return keysInPhase(world, keyConfig).flatMap(key => {
    const secret = secrets[key]()
    return secret ? [keyInFile(secret)] : []
  })
}

export const fileRulesIn = (file: KubeObject): unknown =>
  mapOrEmpty(yamlOrNothing(secretText(file, fileName))).resources
