// Checks that a value is a kubeconfig and that a rule of fields.ts allows each of its fields. kubeconfig.ts judges what the fields
// mean together.
import { isMap, type JsonMap, mapsIn } from '../../core/json/json.ts'
import { clusterFields, contextFields, type FieldRule, type FieldRules, fileFields, userFields } from './fields.ts'

/** `field` is a path into the kubeconfig, '' for the whole; the sentence begins with it. */
export type KubeconfigRefusal = { field: string; sentence: string }

export const refusal = (field: string, because: string): KubeconfigRefusal => ({
  field,
  sentence: `${field || 'the kubeconfig'} ${because}`,
})

export type Entry = { path: string; name: string; fields: JsonMap }

type Section = { list: string; inner: string; rules: FieldRules }

const sections: readonly Section[] = [
  { list: 'clusters', inner: 'cluster', rules: clusterFields },
  { list: 'users', inner: 'user', rules: userFields },
  { list: 'contexts', inner: 'context', rules: contextFields },
]

/** All refused fields, in all entries and not only in those of the current context. */
export const shapeRefusals = (file: JsonMap): KubeconfigRefusal[] => [
  ...fieldRefusals('', file, fileFields),
  ...sections.flatMap(section => sectionRefusals(file[section.list], section)),
]

/** The entry of that name, in a kubeconfig without shapeRefusals. */
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
    if (names.indexOf(element.name) !== index) return [refusal(`${at}.name`, 'is the name of another entry too')]
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
    // The message does not name the unknown field: a password may stand in its place.
    if (!rule) return [refusal(path, 'has a field that is not known')]
    const because = fault(value, rule)
    return because ? [refusal(path ? `${path}.${name}` : name, because)] : []
  })

const fault = (value: unknown, rule: FieldRule): string | undefined => {
  if (rule.is === 'refused') return rule.because
  if (rule.is === 'only') return value === rule.value ? undefined : rule.because
  return rule.is === 'text' && typeof value !== 'string' ? 'is no text' : undefined
}
