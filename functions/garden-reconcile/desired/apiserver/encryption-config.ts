// How an API server encrypts what it stores. The first key encrypts, all of them decrypt; what is not encrypted yet can be read too.
// Which keys those are while the key is rotated, rules/rotation tells.
import { mapOrEmpty, mapsIn } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { secretText } from '../../../../shared/core/objects/secret-text.ts'
import { yamlOf } from '../../../../shared/core/yaml/write.ts'
import type { EncryptionKey } from '../../rules/rotation/encryption-moves.ts'
import { type EncryptionConfigName, keysInPhase } from '../../rules/rotation/markers.ts'
import { type KeyInFile, keyInFile } from '../../rules/secrets/encryption-key.ts'
import { formerSecret } from '../../rules/secrets/existing-secrets.ts'
import { secretNow } from '../../rules/secrets/secrets-now.ts'
import type { World } from '../../world.ts'
import { configSecret } from '../parts/config-object.ts'
import { yamlOrNothing } from '../parts/yaml-or-nothing.ts'

const fileName = 'encryption-configuration.yaml'

/** The Secret with the file `encryption-configuration.yaml` for these resources. */
export const encryptionConfiguration = (
  world: World,
  keyConfig: EncryptionConfigName,
  resources: readonly string[],
): KubeObject => {
  const providers = [{ aescbc: { keys: encryptionKeys(world, keyConfig) } }, { identity: {} }]
  const file = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [{ resources: [...resources], providers }],
  }
  const name = keyConfig.replace('-key', '-configuration')
  return configSecret(name, { [fileName]: yamlOf(file) })
}

/** What the file is to hold in this phase of the rotation. A key that was never replaced has no former one. */
export const encryptionKeys = (world: World, keyConfig: EncryptionConfigName): KeyInFile[] => {
  const secrets: Record<EncryptionKey, () => KubeObject | undefined> = {
    current: () => secretNow(world, keyConfig),
    former: () => formerSecret(world, keyConfig),
  }
  return keysInPhase(world, keyConfig).flatMap(key => {
    const secret = secrets[key]()
    return secret ? [keyInFile(secret)] : []
  })
}

/** The keys in a file that is there, the one that writes first. */
export const encryptionKeysIn = (file: KubeObject): unknown => {
  const [resource] = mapsIn(mapOrEmpty(yamlOrNothing(secretText(file, fileName))).resources)
  return mapsIn(resource?.providers).flatMap(({ aescbc }) => mapsIn(mapOrEmpty(aescbc).keys))
}
