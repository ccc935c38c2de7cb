// Takeover of credentials that are in use already: a Secret labelled `secrets-manager-use-data-for-name: ca` gives its data, byte for
// byte, to the first Secret of the config `ca`. Later its label says nothing: a rotation makes a new key.
import type { KubeObject } from '../../../../shared/core/object.ts'
import type { World } from '../../world.ts'
import { objectsOf } from '../objects.ts'
import { adoptionLabel, generatedSecrets, secretKind } from './existing-secrets.ts'
import type { SecretConfigName } from './secret-names.ts'

const adoptableNames: readonly SecretConfigName[] = [
  ...(['ca', 'ca-client', 'ca-front-proxy', 'service-account-key'] as const),
  ...(['kube-apiserver-etcd-encryption-key', 'gardener-apiserver-etcd-encryption-key'] as const),
]

/** Whose data counts for this config, as long as none of it was made; more than one is a fault. */
export const adoptionSources = (world: World, name: SecretConfigName): readonly KubeObject[] => {
  const isMade = generatedSecrets(world).some(({ metadata }) => metadata.labels?.name === name)
  return isMade || !adoptableNames.includes(name)
    ? []
    : objectsOf(world.runtime, secretKind).filter(({ metadata }) => metadata.labels?.[adoptionLabel] === name)
}
