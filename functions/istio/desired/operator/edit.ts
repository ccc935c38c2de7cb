// Changes of an IstioOperator as data, for tables of rows. `at` is a path in the spec; numbers are indexes of lists.
//
//   setAt('meshConfig.trustDomain', 'example.org')
//   addedAt('components.ingressGateways.0.k8s.serviceAnnotations', { 'a.example/b': 'c' })
//   variablesAt('components.pilot.k8s.env', { PILOT_HTTP10: '1' })
import type { IstioOperator } from '../../../../shared/api/istio/operator.ts'
import { own, withField } from '../../../../shared/core/json/fields.ts'
import { isMap, type JsonMap, mapOrEmpty } from '../../../../shared/core/json/json.ts'

/** `becomes` maps the old value to the new value. Returning its argument changes nothing and creates no field. */
export type Edit = { readonly at: string; readonly becomes: (before: unknown) => unknown }

export const setAt = (at: string, value: unknown): Edit => ({ at, becomes: () => value })

/** Sets fields of the map at the path. */
export const addedAt = (at: string, fields: JsonMap): Edit => ({
  at,
  becomes: before =>
    Object.entries(fields).reduce((map, [key, value]) => withField(map, key, value), mapOrEmpty(before)),
})

export const appendedAt = (at: string, items: readonly unknown[]): Edit => ({
  at,
  becomes: before => [...listOrEmpty(before), ...items],
})

/** Sets environment variables in the list at the path. Each name occurs once. */
export const variablesAt = (at: string, values: Readonly<Record<string, string>>): Edit => ({
  at,
  becomes: before => [
    ...listOrEmpty(before).filter(one => !isMap(one) || !Object.hasOwn(values, String(one.name))),
    ...Object.entries(values).map(([name, value]) => ({ name, value })),
  ],
})

/** Returns a copy with all edits, applied in order. */
export const edited = (operator: IstioOperator, edits: readonly Edit[]): IstioOperator => ({
  ...operator,
  spec: edits.reduce((spec, { at, becomes }) => mapOrEmpty(changedAt(spec, at.split('.'), becomes)), operator.spec),
})

const changedAt = (value: unknown, [field, ...rest]: readonly string[], becomes: Edit['becomes']): unknown => {
  if (field === undefined) return becomes(value)
  const isElement = /^\d+$/.test(field)
  const before = isElement ? listOrEmpty(value)[Number(field)] : own(mapOrEmpty(value), field)
  const after = changedAt(before, rest, becomes)
  if (after === before) return value
  return isElement
    ? Object.assign([...listOrEmpty(value)], { [field]: after })
    : withField(mapOrEmpty(value), field, after)
}

const listOrEmpty = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
