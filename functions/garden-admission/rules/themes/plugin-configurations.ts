// Checks configurations of admission plugins. API servers do not start with an invalid configuration. PodNodeSelector accepts every
// configuration; plugins of gardener-apiserver that are not listed here read none.
import { isFrom } from '../../../../shared/api/kubernetes/versions.ts'
import { flag, list, mapOf, number, options, type Typed, text } from '../../../../shared/api/schema.ts'
import {
  type ConfigurationFile,
  invalidConfiguration,
  kindIn,
  repeatedItems,
  valueFault,
} from '../../../../shared/core/apiserver/configuration.ts'
import { isLabel, isLabelKey, isLabelValue, isSubdomain } from '../../../../shared/core/objects/dns-name.ts'
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../../shared/core/objects/field-error.ts'

/** Why an API server does not start with the configuration. `minor`: the Kubernetes version, for example `1.34`. Absent: the newest. */
type Judge = (purpose: string, config: unknown, minor: string | undefined) => string | undefined

type Row<Value> = Omit<ConfigurationFile<Value>, 'purpose' | 'fault'> & {
  /** Kinds that are accepted only before this version of Kubernetes. */
  readonly formerly?: { readonly before: string; readonly kinds: Readonly<Record<string, string>> }
  readonly errors: (value: Value) => readonly FieldError[]
}

const row =
  <Value>({ errors, formerly, kinds, ...rest }: Row<Value>): Judge =>
  (purpose, config, minor) =>
    valueFault<Value>(
      {
        ...{ ...rest, purpose, kinds: { ...kinds, ...(isBefore(formerly?.before, minor) && formerly?.kinds) } },
        fault: value => invalidConfiguration(purpose, errors(value)),
      },
      config,
    )

const isBefore = (first: string | undefined, minor: string | undefined): boolean =>
  first !== undefined && minor !== undefined && !isFrom(first, minor)

const each = <Item>(
  items: readonly Item[] | undefined,
  path: string,
  errors: (path: string, item: Item) => FieldError[],
) => (items ?? []).flatMap((item, at) => errors(`${path}[${at}]`, item))

const modes = ['enforce', 'audit', 'warn'] as const
const levels = ['', 'privileged', 'baseline', 'restricted']
const exempt = { namespaces: isLabel, runtimeClasses: isSubdomain, usernames: (name: string) => name !== '' }

const podSecurity = options({
  defaults: options({
    ...{ enforce: text, audit: text, warn: text },
    ...{ 'enforce-version': text, 'audit-version': text, 'warn-version': text },
  }),
  exemptions: options({ usernames: list(text), namespaces: list(text), runtimeClasses: list(text) }),
})

const podSecurityErrors = ({ defaults = {}, exemptions = {} }: Typed<typeof podSecurity>): FieldError[] => [
  ...modes.flatMap(mode => [
    ...(levels.includes(defaults[mode] ?? '')
      ? []
      : [notSupported(`defaults.${mode}`, defaults[mode], levels.slice(1))]),
    ...(/^$|^latest$|^v1\.(0|[1-9]\d{0,5})$/.test(defaults[`${mode}-version`] ?? '')
      ? []
      : [invalid(`defaults.${mode}-version`, defaults[`${mode}-version`], 'must be "latest" or "v1.x"')]),
  ]),
  ...(['usernames', 'namespaces', 'runtimeClasses'] as const).flatMap(field => {
    const repeated = repeatedItems(exemptions[field] ?? [])
    return (exemptions[field] ?? []).flatMap((name, at) => {
      const path = `exemptions.${field}[${at}]`
      if (repeated.has(at)) return [duplicate(path, name)]
      return exempt[field](name) ? [] : [invalid(path, name, 'is not a valid name')]
    })
  }),
]

const limit = options({ type: text, qps: number, burst: number, cacheSize: number })
const limitTypes = ['Server', 'Namespace', 'User', 'SourceAndObject']

const limitErrors = (path: string, { type, qps = 0, burst = 0, cacheSize = 0 }: Typed<typeof limit>): FieldError[] => [
  ...(limitTypes.includes(type ?? '') ? [] : [notSupported(`${path}.type`, type ?? '', limitTypes)]),
  ...(isInt32(burst) && burst > 0 ? [] : [invalid(`${path}.burst`, burst, 'must be positive')]),
  ...(isInt32(qps) && qps > 0 ? [] : [invalid(`${path}.qps`, qps, 'must be positive')]),
  ...(isInt32(cacheSize) && (cacheSize >= 0 || type === 'Server')
    ? []
    : [invalid(`${path}.cacheSize`, cacheSize, 'must not be negative')]),
]

const isInt32 = (value: number): boolean => Number.isInteger(value) && Math.abs(value) < 2 ** 31

const toleration = options({ key: text, operator: text, value: text, effect: text, tolerationSeconds: number })
const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

const tolerationErrors = (path: string, given: Typed<typeof toleration>): FieldError[] => {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = given
  return [
    ...(key === '' || isLabelKey(key) ? [] : [invalid(`${path}.key`, key, 'must be the key of a label')]),
    ...(key === '' && operator !== 'Exists'
      ? [invalid(`${path}.operator`, operator, 'operator must be Exists when `key` is empty')]
      : []),
    ...(tolerationSeconds !== undefined && effect !== 'NoExecute'
      ? [invalid(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")]
      : []),
    ...operatorErrors(`${path}.operator`, operator, value),
    ...(effect === '' || effects.includes(effect) ? [] : [notSupported(`${path}.effect`, effect, effects)]),
  ]
}

const operatorErrors = (path: string, operator: string, value: string): FieldError[] => {
  if (operator === 'Exists')
    return value === '' ? [] : [invalid(path, value, "value must be empty when `operator` is 'Exists'")]
  if (operator !== '' && operator !== 'Equal') return [notSupported(path, operator, ['Equal', 'Exists'])]
  return isLabelValue(value) ? [] : [invalid(path, value, 'must be the value of a label')]
}

const scope = options({ scopeName: text, operator: text, values: list(text) })
const limited = options({ apiGroup: text, resource: text, matchContains: list(text), matchScopes: list(scope) })

const webhook = row({
  kinds: { 'apiserver.config.k8s.io/v1': 'WebhookAdmissionConfiguration' },
  formerly: { before: '1.36', kinds: { 'apiserver.config.k8s.io/v1alpha1': 'WebhookAdmission' } },
  shape: options({ kubeConfigFile: {}, staticManifestsDir: text }),
  isStrict: true,
  errors: ({ staticManifestsDir = '' }) =>
    staticManifestsDir === ''
      ? []
      : [forbidden('staticManifestsDir', 'must not be set: the Pod of kube-apiserver has no such folder')],
})

const imagePolicy = options({ kubeConfigFile: {}, allowTTL: number, denyTTL: number, retryBackoff: number })

/** The maximum values: TTLs in seconds, retryBackoff in milliseconds. -1 disables, 0 is the default. */
const longest = { allowTTL: 1_800, denyTTL: 1_800, retryBackoff: 300_000 }

const imagePolicyErrors = (given: Typed<typeof imagePolicy>): FieldError[] =>
  (['allowTTL', 'denyTTL', 'retryBackoff'] as const).flatMap(field => {
    const value = given[field] ?? 0
    const isFit = Number.isInteger(value) && value >= -1 && value <= longest[field]
    return isFit ? [] : [invalid(`imagePolicy.${field}`, value, `must be an integer from -1 to ${longest[field]}`)]
  })

export const kubernetesPluginConfigurations: Readonly<Record<string, Judge>> = {
  PodSecurity: row({
    kinds: kindIn(
      'PodSecurityConfiguration',
      ['v1', 'v1beta1', 'v1alpha1'].map(version => `pod-security.admission.config.k8s.io/${version}`),
    ),
    shape: podSecurity,
    isStrict: true,
    errors: podSecurityErrors,
  }),
  EventRateLimit: row({
    kinds: { 'eventratelimit.admission.k8s.io/v1alpha1': 'Configuration' },
    shape: options({ limits: list(limit) }),
    errors: ({ limits = [] }) =>
      limits.length === 0 ? [invalid('limits', limits, 'must not be empty')] : each(limits, 'limits', limitErrors),
  }),
  PodTolerationRestriction: row({
    kinds: { 'podtolerationrestriction.admission.k8s.io/v1alpha1': 'Configuration' },
    shape: options({ default: list(toleration), whitelist: list(toleration) }),
    errors: config => [
      ...each(config.default, 'default', tolerationErrors),
      ...each(config.whitelist, 'whitelist', tolerationErrors),
    ],
  }),
  ResourceQuota: row({
    kinds: {
      'apiserver.config.k8s.io/v1': 'ResourceQuotaConfiguration',
      'resourcequota.admission.k8s.io/v1beta1': 'Configuration',
      'resourcequota.admission.k8s.io/v1alpha1': 'Configuration',
    },
    shape: options({ limitedResources: list(limited) }),
    isStrict: true,
    errors: ({ limitedResources }) =>
      each(limitedResources, 'limitedResources', (path, { resource = '' }) =>
        resource === '' ? [required(`${path}.resource`, '')] : [],
      ),
  }),
  MutatingAdmissionWebhook: webhook,
  ValidatingAdmissionWebhook: webhook,
  ImagePolicyWebhook: row({
    kinds: {},
    shape: options({ imagePolicy }),
    errors: ({ imagePolicy: given = {} }) => imagePolicyErrors(given),
  }),
}

const tolerated = options({ key: text, value: text })

const toleratedErrors = (path: string, given: readonly Typed<typeof tolerated>[] = []): FieldError[] => {
  const keys = new Set<string>()
  return given.flatMap(({ key = '', value }, at) => {
    const id = value === undefined ? key : `${key}=${value}`
    const isRepeated = keys.has(id) || keys.has(key)
    keys.add(id)
    return [
      ...(isLabelKey(key) ? [] : [invalid(`${path}[${at}].key`, key, 'must be the key of a label')]),
      ...(isLabelValue(value ?? '') ? [] : [invalid(`${path}[${at}].value`, value, 'must be the value of a label')]),
      ...(isRepeated ? [duplicate(`${path}[${at}]`, id)] : []),
    ]
  })
}

const suffixErrors = (given: readonly string[]): FieldError[] => {
  const names = given.map(one => one.replace(/^\./, ''))
  const repeated = repeatedItems(names)
  return given.flatMap((suffix, at) => {
    const [path, name = ''] = [`commonSuffixes[${at}]`, names[at]]
    return [
      ...(name.includes('.') ? [] : [invalid(path, suffix, "must contain at least one non-leading dot ('.')")]),
      ...(repeated.has(at) ? [duplicate(path, name)] : []),
      ...(isSubdomain(name.replace(/\.$/, '')) ? [] : [invalid(path, suffix, 'must be a valid DNS subdomain')]),
    ]
  })
}

const selector = options({
  matchLabels: mapOf(text),
  matchExpressions: list(options({ key: text, operator: text, values: list(text) })),
})

/** The operators of structured selectors, and whether they need values. */
const hasValues = new Map([
  ['In', true],
  ['NotIn', true],
  ['Exists', false],
  ['DoesNotExist', false],
])

const selectorErrors = (path: string, { matchLabels = {}, matchExpressions = [] }: Typed<typeof selector>) => [
  ...Object.entries(matchLabels).flatMap(([key, value]) => labelErrors(`${path}.matchLabels`, key, [value])),
  ...matchExpressions.flatMap(({ key = '', operator = '', values = [] }, at): FieldError[] => {
    const place = `${path}.matchExpressions[${at}]`
    const needsValues = hasValues.get(operator)
    if (needsValues === undefined) return [notSupported(`${place}.operator`, operator, [...hasValues.keys()])]
    const isFit = values.length > 0 === needsValues
    const needed = needsValues
      ? "must be specified when `operator` is 'In' or 'NotIn'"
      : 'must be empty for the operator'
    return [...(isFit ? [] : [invalid(`${place}.values`, values, needed)]), ...labelErrors(place, key, values)]
  }),
]

const labelErrors = (path: string, key: string, values: readonly string[]): FieldError[] => [
  ...(isLabelKey(key) ? [] : [invalid(path, key, 'must be the key of a label')]),
  ...values.filter(value => !isLabelValue(value)).map(value => invalid(path, value, 'must be the value of a label')),
]

const alpha = (plugin: string) => ({ [`${plugin}.admission.gardener.cloud/v1alpha1`]: 'Configuration' })

export const gardenerPluginConfigurations: Readonly<Record<string, Judge>> = {
  ShootTolerationRestriction: row({
    kinds: alpha('shoottolerationrestriction'),
    shape: options({ defaults: list(tolerated), whitelist: list(tolerated) }),
    errors: ({ defaults, whitelist }) => [
      ...toleratedErrors('defaults', defaults),
      ...toleratedErrors('whitelist', whitelist),
    ],
  }),
  ShootDNSRewriting: row({
    kinds: alpha('shootdnsrewriting'),
    shape: options({ commonSuffixes: list(text) }),
    errors: ({ commonSuffixes = [] }) => suffixErrors(commonSuffixes),
  }),
  ShootResourceReservation: row({
    kinds: alpha('shootresourcereservation'),
    shape: options({ useGKEFormula: flag, selector }),
    errors: ({ selector }) => selectorErrors('selector', selector ?? {}),
  }),
}
