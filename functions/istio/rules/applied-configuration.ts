// The annotation with the spec that is in force: the whole spec, or the old content with the fields that have come into force. A comparison
// with the current spec shows which restarts are needed. The annotation equals that of the Kyma Istio module byte for byte, so that either
// program can take over from the other.
import { istioNames } from '../../../shared/api/istio/names.ts'
import { istioSpec } from '../../../shared/api/istio/spec.ts'
import type { IstioSpec } from '../../../shared/api/istio.ts'
import type { JsonSchema } from '../../../shared/api/schema.ts'
import { attempted, type Reading, whenRead } from '../../../shared/core/decisions/reading.ts'
import { valueAt, withValueAt } from '../../../shared/core/json/fields.ts'
import { isMap, type JsonMap, mapOrEmpty } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { htmlSafe } from '../../../shared/core/text/text.ts'
import { durationText, parseDuration } from '../../../shared/render/template/time/calendar.ts'

type AppliedConfiguration = { readonly spec: IstioSpec; readonly tag?: string }

const { lastApplied } = istioNames.annotations

/** The applied spec and version. `read` is undefined without annotation. */
export const appliedConfiguration = ({ metadata }: KubeObject): Reading<AppliedConfiguration | undefined> => {
  const text = metadata.annotations?.[lastApplied]
  return text === undefined ? { read: undefined } : attempted(() => parsed(text))
}

/** The spec in force. Empty if the annotation is missing, or unreadable: then part ownership holds all restarts. */
export const inForce = (istio: KubeObject): IstioSpec =>
  whenRead(
    appliedConfiguration(istio),
    read => read?.spec ?? {},
    () => ({}),
  )

const parsed = (text: string): AppliedConfiguration => {
  const value: unknown = JSON.parse(text)
  if (!isMap(value)) throw new TypeError('it is not a JSON object')
  if (isDeeper(value)) throw new RangeError(`it is nested more than ${levelsMost} levels deep`)
  const { IstioTag, ...spec } = value
  return { spec: spec as IstioSpec, ...(typeof IstioTag === 'string' && IstioTag !== '' && { tag: IstioTag }) }
}

/** No valid spec has more levels. Recursion through thousands of levels would overflow the stack. */
const levelsMost = 32

const isDeeper = (value: unknown, levels = levelsMost): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some(one => isDeeper(one, levels - 1)))

export const appliedText = ({ spec, tag = '' }: AppliedConfiguration): string => {
  const fields = fieldsText(spec as JsonMap, istioSpec, '')
  return `{${[...fields, `"IstioTag":${goText(tag)}`].join()}}`
}

/** What Go writes for absent fields that are structs or lack `omitempty`. */
const alwaysWritten: Readonly<Record<string, unknown>> = {
  '.config': {},
  '.config.telemetry': {},
  '.config.telemetry.metrics': {},
  '.config.authorizers[].service': '',
  '.components.egressGateway.k8s': null,
  ...Object.fromEntries(
    ['pilot', 'ingressGateway', 'egressGateway'].flatMap(component =>
      ['maxSurge', 'maxUnavailable'].map(field => [
        `.components.${component}.k8s.strategy.rollingUpdate.${field}`,
        null,
      ]),
    ),
  ),
  '.experimental.pilot': {},
  '.experimental.pilot.enableAlphaGatewayAPI': false,
  '.experimental.pilot.enableMultiNetworkDiscoverGatewayAPI': false,
}

/** Fields that Go omits if false. */
const leftOutIfFalse = ['.config.telemetry.metrics.prometheusMerge', '.compatibilityMode', '.networkPoliciesEnabled']

const durations = ['.config.authorizers[].timeout']

const fieldsText = (value: JsonMap, schema: JsonSchema, path: string): string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const at = `${path}.${name}`
    const given = value[name] ?? alwaysWritten[at]
    const isWritten = isKept(given, at, schema.required?.includes(name) ?? false)
    return isWritten ? [`${goText(name)}:${valueText(given, inner, at)}`] : []
  })

/** Whether Go writes the field despite `omitempty`. Go omits empty maps, but writes empty structs. */
const isKept = (given: unknown, path: string, isRequired: boolean): boolean => {
  if (given === undefined) return false
  if (given === null) return path in alwaysWritten
  if (given === false) return !leftOutIfFalse.includes(path)
  const isEmptyMap = isMap(given) && /\.(add|matchLabels)$/.test(path) && Object.keys(given).length === 0
  return isRequired || !(isEmptyMap || (Array.isArray(given) && given.length === 0))
}

const valueText = (value: unknown, schema: JsonSchema, path: string): string => {
  if (Array.isArray(value)) return `[${value.map(item => valueText(item, schema.items ?? {}, `${path}[]`)).join()}]`
  if (!isMap(value)) return goText(durations.includes(path) ? normalised(value) : value)
  if (schema.properties) return `{${fieldsText(value, schema, path).join()}}`
  const map = mapOrEmpty(value)
  return `{${Object.keys(map)
    .sort()
    .map(key => `${goText(key)}:${goText(map[key])}`)
    .join()}}`
}

/** A duration in Go's form. A text that Go cannot parse stays unchanged. */
const normalised = (value: unknown): unknown =>
  whenRead(
    attempted(() => durationText(parseDuration(String(value)))),
    text => text,
    () => value,
  )

const goText = (value: unknown): string => htmlSafe(JSON.stringify(value))

/** Fields that are saved as soon as they are in force, with their paths: the version and the fields that cause restarts. */
const savedFields = {
  version: ['tag'],
  numTrustedProxies: ['spec', 'config', 'numTrustedProxies'],
  forwardClientCertDetails: ['spec', 'config', 'forwardClientCertDetails'],
  trustDomain: ['spec', 'config', 'trustDomain'],
  proxyStatsMatcher: ['spec', 'config', 'proxyStatsMatcher'],
  enableDNSProxying: ['spec', 'config', 'enableDNSProxying'],
  compatibilityMode: ['spec', 'compatibilityMode'],
  networkPoliciesEnabled: ['spec', 'networkPoliciesEnabled'],
} as const

type AppliedField = keyof typeof savedFields

/** Whether fields are in force, as one part sees it. `spec`: the spec as a whole. */
export type AppliedVerdict = Partial<Readonly<Record<AppliedField | 'spec', boolean>>>

export const isAllInForce = (verdicts: readonly AppliedVerdict[]): boolean =>
  verdicts.every(verdict => Object.values(verdict).every(isInForce => isInForce))

/** Fields that at least one part reports as in force and no part reports as not in force. */
export const fieldsInForce = (verdicts: readonly AppliedVerdict[]): readonly AppliedField[] =>
  (Object.keys(savedFields) as AppliedField[]).filter(field => {
    const said = verdicts.flatMap(verdict => verdict[field] ?? [])
    return said.length > 0 && said.every(isInForce => isInForce)
  })

/** The old configuration with the new values of `fields`. */
export const textWithFields = (
  before: AppliedConfiguration | undefined,
  wanted: AppliedConfiguration,
  fields: readonly AppliedField[],
): string =>
  appliedText(
    fields.reduce<JsonMap>((after, field) => {
      const path = savedFields[field]
      return withValueAt(after, path, valueAt(wanted, ...path))
    }, before ?? { spec: {} }) as AppliedConfiguration,
  )
