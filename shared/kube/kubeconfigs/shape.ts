// Checks that a value has the shape of a kubeconfig, and that a rule of the table below allows each field. kubeconfig.ts checks the values
// and their combinations.
import { isMap, type JsonMap, mapsIn } from '../../core/json/json.ts'

/** `field`: path in the kubeconfig, '' for the whole kubeconfig. `sentence` starts with the path. */
export type KubeconfigRefusal = { field: string; sentence: string }

export const refusal = (field: string, because: string): KubeconfigRefusal => ({
  field,
  sentence: `${field || 'the kubeconfig'} ${because}`,
})

export type Entry = { path: string; name: string; fields: JsonMap }

// All fields of a kubeconfig from a Secret. A field is used, or ignored because it only matters at a terminal, or refused. Refused fields
// would run a program, read a file or redirect the connection. A field without a row is refused.

type FieldRule =
  | { is: 'text' | 'passedOver' }
  | { is: 'refused'; because: string }
  /** Only this value is allowed, because it has no effect. */
  | { is: 'only'; value: unknown; because: string }

type FieldRules = Readonly<Record<string, FieldRule>>

const text: FieldRule = { is: 'text' }
const passedOver: FieldRule = { is: 'passedOver' }
const refused = (because: string): FieldRule => ({ is: 'refused', because })

const readsFile = refused('would read a file')
const runsProgram = refused('would run a program')
const impersonates = refused('would impersonate another user')
const passwords = refused('is an authentication method that Kubernetes removed')

const clusterFields: FieldRules = {
  server: text,
  'certificate-authority-data': text,
  'tls-server-name': text,
  'certificate-authority': readsFile,
  'proxy-url': refused('would connect through another host'),
  'insecure-skip-tls-verify': { is: 'only', value: false, because: 'would accept any server certificate' },
  'disable-compression': passedOver,
  extensions: passedOver,
}

const userFields: FieldRules = {
  token: text,
  'client-certificate-data': text,
  'client-key-data': text,
  tokenFile: readsFile,
  'client-certificate': readsFile,
  'client-key': readsFile,
  exec: runsProgram,
  'auth-provider': runsProgram,
  as: impersonates,
  'as-uid': impersonates,
  'as-groups': impersonates,
  'as-user-extra': impersonates,
  username: passwords,
  password: passwords,
  extensions: passedOver,
}

const contextFields: FieldRules = {
  cluster: text,
  user: text,
  namespace: passedOver,
  extensions: passedOver,
}

const fileFields: FieldRules = {
  apiVersion: { is: 'only', value: 'v1', because: 'is not a supported version of a kubeconfig' },
  kind: { is: 'only', value: 'Config', because: 'is not a kubeconfig' },
  'current-context': text,
  preferences: passedOver,
  extensions: passedOver,
  // Lists of named entries. The entries have their own rules.
  clusters: passedOver,
  users: passedOver,
  contexts: passedOver,
}

type Section = { list: string; inner: string; rules: FieldRules }

const sections: readonly Section[] = [
  { list: 'clusters', inner: 'cluster', rules: clusterFields },
  { list: 'users', inner: 'user', rules: userFields },
  { list: 'contexts', inner: 'context', rules: contextFields },
]

/** Refused fields in all entries, not only in entries of the current context. */
export const shapeRefusals = (file: JsonMap): KubeconfigRefusal[] => [
  ...fieldRefusals('', file, fileFields),
  ...sections.flatMap(section => sectionRefusals(file[section.list], section)),
]

/** Call only for a kubeconfig without `shapeRefusals`. */
export const entryNamed = (file: JsonMap, list: string, name: unknown): Entry | undefined => {
  const section = sections.find(known => known.list === list)
  const index = mapsIn(file[list]).findIndex(element => element.name === name)
  const fields = section && mapsIn(file[list])[index]?.[section.inner]
  return isMap(fields) ? { path: `${list}[${index}].${section?.inner}`, name: String(name), fields } : undefined
}

const sectionRefusals = (list: unknown, { list: path, inner, rules }: Section): KubeconfigRefusal[] => {
  if (!Array.isArray(list)) return [refusal(path, 'is no list')]
  const names = list.map(element => (isMap(element) ? element.name : undefined))
  return list.flatMap((element, index) => {
    const at = `${path}[${index}]`
    if (!isMap(element)) return [refusal(at, 'is no mapping')]
    if (names.indexOf(element.name) !== index) return [refusal(`${at}.name`, 'is also the name of another entry')]
    return [
      ...fieldRefusals(at, element, { name: { is: 'text' }, [inner]: { is: 'passedOver' } }),
      ...(isMap(element[inner])
        ? fieldRefusals(`${at}.${inner}`, element[inner], rules)
        : [refusal(`${at}.${inner}`, 'is no mapping')]),
    ]
  })
}

const fieldRefusals = (path: string, fields: JsonMap, rules: FieldRules): KubeconfigRefusal[] =>
  Object.entries(fields).flatMap(([name, value]) => {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    // The message does not contain the unknown field, because the text may be a password.
    if (!rule) return [refusal(path, 'has an unknown field')]
    const because = fault(value, rule)
    return because ? [refusal(path ? `${path}.${name}` : name, because)] : []
  })

const fault = (value: unknown, rule: FieldRule): string | undefined => {
  if (rule.is === 'refused') return rule.because
  if (rule.is === 'only') return value === rule.value ? undefined : rule.because
  return rule.is === 'text' && typeof value !== 'string' ? 'is no text' : undefined
}
