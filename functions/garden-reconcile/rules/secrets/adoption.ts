// Takeover of credentials that are already in use. The first Secret of config `ca` gets, byte for byte, the data of a Secret with label
// `secrets-manager-use-data-for-name: ca`. After the first Secret, the label has no effect, because a rotation creates a new key.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { objectsOf } from '../objects.ts'
import { adoptionLabel, generatedSecrets, secretKind } from './existing-secrets.ts'
import type { SecretConfigName } from './secret-names.ts'

const adoptableNames: readonly SecretConfigName[] = [
  ...(['ca', 'ca-client', 'ca-front-proxy', 'service-account-key'] as const),
  ...(['kube-apiserver-etcd-encryption-key', 'gardener-apiserver-etcd-encryption-key'] as const),
]

/** Secrets to adopt for this config, while the config has no Secret yet. More than one Secret is a fault. */
export const adoptionSources = (world: World, name: SecretConfigName): readonly KubeObject[] => {
  const isMade = generatedSecrets(world).some(({ metadata }) => metadata.labels?.name === name)
  return isMade || !adoptableNames.includes(name)
    ? []
    : objectsOf(world.runtime, secretKind).filter(({ metadata }) => metadata.labels?.[adoptionLabel] === name)
}
