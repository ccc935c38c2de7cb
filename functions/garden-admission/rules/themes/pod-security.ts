// The configuration of the admission plugin PodSecurity. kube-apiserver parses it strictly when it starts, and does not start
// if a field is unknown or invalid.
import { isMap } from '../../../../shared/core/json/json.ts'
import { isLabel, isSubdomain } from '../../../../shared/core/objects/dns-name.ts'

/** The versions of it, today's first. */
export const podSecurityVersions: readonly string[] = ['v1', 'v1beta1', 'v1alpha1'].map(
  version => `pod-security.admission.config.k8s.io/${version}`,
)

type Test = (value: unknown) => boolean

const isText = (value: unknown): value is string => typeof value === 'string'
const isNamespace: Test = name => isText(name) && isLabel(name)
const isRuntimeClass: Test = name => isText(name) && isSubdomain(name)
const isUser: Test = name => isText(name) && name !== ''

/** An empty text stands for the default. */
const isLevel: Test = level => ['', 'privileged', 'baseline', 'restricted'].some(known => known === level)
const isVersion: Test = version => isText(version) && /^$|^latest$|^v1\.(0|[1-9]\d{0,5})$/.test(version)

const eachOnce =
  (isName: Test): Test =>
  names =>
    Array.isArray(names) && names.every(isName) && new Set(names).size === names.length

/** A map of these fields and no others, any of which may be missing. */
const mapOf =
  (fields: Readonly<Record<string, Test>>): Test =>
  value =>
    isMap(value) && Object.entries(value).every(([field, inner]) => fits(fields, field, inner))

const fits = (fields: Readonly<Record<string, Test>>, field: string, value: unknown): boolean =>
  Object.hasOwn(fields, field) && (fields[field]?.(value) ?? false)

const modes = ['enforce', 'audit', 'warn']

const hasKnownFields = mapOf({
  apiVersion: isText,
  kind: isText,
  defaults: mapOf(
    Object.fromEntries(modes.flatMap(mode => [[mode, isLevel] as const, [`${mode}-version`, isVersion]])),
  ),
  exemptions: mapOf({
    usernames: eachOnce(isUser),
    namespaces: eachOnce(isNamespace),
    runtimeClasses: eachOnce(isRuntimeClass),
  }),
})

/** Whether kube-apiserver would start with it. */
export const isPodSecurity = (config: unknown): boolean =>
  isMap(config) &&
  podSecurityVersions.some(version => version === config.apiVersion) &&
  config.kind === 'PodSecurityConfiguration' &&
  hasKnownFields(config)
