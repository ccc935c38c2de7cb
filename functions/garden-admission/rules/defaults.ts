// What a Garden means where it does not say: values that depend on others or lie where the schema has no default.
import { changedAt, valueAt } from './at-path.ts'
import { gardenerAPIServer, kubeAPIServer, kubeControllerManager, networking } from './paths.ts'

type Default = { at: string; value: unknown }

const encryptionType = 'encryptionConfig.provider.type'

/** In the order in which they are set. */
const defaults: readonly Default[] = [
  { at: `${networking}.ipFamilies`, value: ['IPv4'] },
  { at: `${kubeAPIServer}.requests.maxNonMutatingInflight`, value: 400 },
  { at: `${kubeAPIServer}.requests.maxMutatingInflight`, value: 200 },
  { at: `${kubeAPIServer}.eventTTL`, value: '1h' },
  { at: `${kubeAPIServer}.logging.verbosity`, value: 2 },
  { at: `${kubeAPIServer}.${encryptionType}`, value: 'aescbc' },
  { at: kubeControllerManager, value: {} },
]

/** The object with its defaults; the very same one when nothing was absent. What is given stays, empty or not. */
export const withDefaults = <T>(object: T): T => {
  const filled = defaults.reduce((filled, { at, value }) => filledAt(filled, at, value), object)
  return filledAt(
    filled,
    `${gardenerAPIServer}.${encryptionType}`,
    valueAt(filled, `${kubeAPIServer}.${encryptionType}`),
  )
}

const filledAt = <T>(object: T, path: string, value: unknown): T => changedAt(object, path, given => given ?? value)
