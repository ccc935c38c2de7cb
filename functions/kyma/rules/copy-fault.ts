// Checks the spec of a copy. The copy's definition refuses invalid specs, but a malicious API server may return any spec. Also, a spec that
// the definition allows may not fit into a status.
import { checks } from '../../../shared/core/decisions/checks.ts'
import { isMap, isText, type JsonMap, mapOrEmpty } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'

/** The maximum number of entries, which always fits into the status of a Kyma. */
const modulesMost = 500
/** The limit for all names together, as JSON: 500 names of 253 ASCII characters. Other characters take up to six bytes. */
const namesBytesMost = 131_072
const channelMost = 32
/** No object has a longer name. */
const nameMost = 253

/** Why the copy cannot be used. The text names the field. */
export const copyFault = (copy: KubeObject): string | undefined => specFault(mapOrEmpty(copy.spec))

const specFault = checks<[JsonMap], string>(
  ({ channel }) => !isShortText(channel, channelMost) && textFault('spec.channel', channelMost),
  ({ skipMaintenanceWindows: skips }) => !isFlag(skips) && 'spec.skipMaintenanceWindows is not a boolean',
  ({ modules = [] }) => !Array.isArray(modules) && 'spec.modules is not a list',
  ({ modules }) =>
    entriesIn(modules).length > modulesMost &&
    `spec.modules has ${entriesIn(modules).length} entries, expected at most ${modulesMost}`,
  ({ modules }) => firstOf(entriesIn(modules), entryFault),
  ({ modules }) => twice(entriesIn(modules)),
  ({ modules }) =>
    namesBytes(entriesIn(modules)) > namesBytesMost &&
    `the names in spec.modules take ${namesBytes(entriesIn(modules))} bytes, expected at most ${namesBytesMost}`,
)

const entriesIn = (modules: unknown): readonly unknown[] => (Array.isArray(modules) ? modules : [])

const namesBytes = (entries: readonly unknown[]): number =>
  Buffer.byteLength(JSON.stringify(entries.map(entry => mapOrEmpty(entry).name)))

const firstOf = (
  entries: readonly unknown[],
  faultOf: (entry: JsonMap, path: string) => string | undefined,
): string | undefined => {
  for (const [at, entry] of entries.entries()) {
    const path = `spec.modules[${at}]`
    const fault = isMap(entry) ? faultOf(entry, path) : `${path} is not an object`
    if (fault !== undefined) return fault
  }
  return undefined
}

const entryFault = checks<[JsonMap, string], string>(
  ({ name }, path) => !isShortText(name, nameMost) && textFault(`${path}.name`, nameMost),
  ({ channel }, path) =>
    channel !== undefined && !isShortText(channel, channelMost) && textFault(`${path}.channel`, channelMost),
  ({ controller = '' }, path) =>
    !(typeof controller === 'string' && controller.length <= nameMost) && textFault(`${path}.controller`, nameMost),
  ({ customResourcePolicy: policy }, path) =>
    !policies.includes(policy) && `${path}.customResourcePolicy is neither CreateAndDelete nor Ignore`,
  ({ managed }, path) => !isFlag(managed) && `${path}.managed is not a boolean`,
)

const policies: readonly unknown[] = [undefined, 'CreateAndDelete', 'Ignore']

const twice = (entries: readonly unknown[]): string | undefined => {
  const names = entries.map(entry => mapOrEmpty(entry).name)
  const again = names.findIndex((name, at) => names.indexOf(name) < at)
  return again < 0 ? undefined : `spec.modules[${again}].name is also the name of another entry`
}

const isFlag = (value: unknown): boolean => value === undefined || typeof value === 'boolean'

const isShortText = (value: unknown, most: number): boolean => isText(value) && value.length <= most

const textFault = (path: string, most: number): string => `${path} must be a text of 1 to ${most} characters`
