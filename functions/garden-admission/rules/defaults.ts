// Defaults of a Garden that a schema cannot express, because they depend on other fields or are inside absent objects.
import { valueAt } from '../../../shared/core/json/fields.ts'
import { changedAt, gardenerAPIServer, kubeAPIServerPath, kubeControllerManager, networking } from './paths.ts'

/** Without `isMissing`, only absent values count as missing. */
type Default = { at: string; value: unknown; isMissing?: (given: unknown) => boolean }

const isAbsent = (given: unknown): boolean => given === undefined || given === null

/** An empty list of families counts as missing, as in Gardener. */
const isAbsentOrEmpty = (given: unknown): boolean => isAbsent(given) || (Array.isArray(given) && given.length === 0)

const encryptionType = 'encryptionConfig.provider.type'

/** Defaults in the order of application. */
const defaults: readonly Default[] = [
  { at: `${networking}.ipFamilies`, value: ['IPv4'], isMissing: isAbsentOrEmpty },
  { at: `${kubeAPIServerPath}.requests.maxNonMutatingInflight`, value: 400 },
  { at: `${kubeAPIServerPath}.requests.maxMutatingInflight`, value: 200 },
  { at: `${kubeAPIServerPath}.eventTTL`, value: '1h' },
  { at: `${kubeAPIServerPath}.logging.verbosity`, value: 2 },
  { at: `${kubeAPIServerPath}.${encryptionType}`, value: 'aescbc' },
  { at: kubeControllerManager, value: {} },
]

/** Returns a copy with defaults, or the same object if nothing was missing. */
export const withDefaults = <T>(object: T): T => {
  const filled = defaults.reduce(filledAt, object)
  const at = `${gardenerAPIServer}.${encryptionType}`
  return filledAt(filled, { at, value: valueAt(filled, ...kubeAPIServerPath.split('.'), ...encryptionType.split('.')) })
}

const filledAt = <T>(object: T, { at, value, isMissing = isAbsent }: Default): T =>
  changedAt(object, at, given => (isMissing(given) ? value : given))
