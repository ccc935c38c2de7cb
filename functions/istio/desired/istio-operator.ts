// Parses an IstioOperator. Profiles are IstioOperators.
import type { IstioOperator } from '../../../shared/api/istio/operator.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import { isMap, isText, type JsonMap } from '../../../shared/core/json/json.ts'
import { readYaml, YamlError } from '../../../shared/core/yaml/read.ts'

/** Throws an Error that describes the fault in a sentence. */
export const istioOperatorIn = (text: string): IstioOperator => {
  const document = documentIn(text)
  const fault = documentFault(document)
  if (fault !== undefined) throw new Error(fault)
  return document as IstioOperator
}

const documentIn = (text: string): unknown => {
  try {
    return readYaml(text)
  } catch (error) {
    if (error instanceof YamlError) throw new Error(`it is not valid YAML: ${error.message}`, { cause: error })
    throw error
  }
}

const documentFault = (document: unknown): string | undefined => {
  if (!isMap(document) || !hasFields(document, identity))
    return 'it contains no IstioOperator of install.istio.io/v1alpha1'
  const { metadata, spec } = document
  if (!isMap(metadata) || !hasFields(metadata, key)) return 'its IstioOperator is not istio-system/default-operator'
  return isMap(spec) ? specFault(spec) : 'spec is not a map'
}

const identity = { apiVersion: 'install.istio.io/v1alpha1', kind: 'IstioOperator' }
const key = { namespace: 'istio-system', name: 'default-operator' }

const hasFields = (map: JsonMap, fields: Readonly<Record<string, string>>): boolean =>
  Object.entries(fields).every(([field, value]) => map[field] === value)

const specFault = (spec: JsonMap): string | undefined => {
  const row = shapes.find(({ at, fits }) => !fits(valueAt(spec, ...at.split('.'))))
  return row && `spec.${row.at} is not a ${row.called}`
}

type Shape = { readonly at: string; readonly called: string; readonly fits: (value: unknown) => boolean }

const isComponent = (value: unknown): boolean => isMap(value) && (value.k8s === undefined || isMap(value.k8s))
const text = (at: string): Shape => ({ at, called: 'text', fits: isText })
const map = (at: string): Shape => ({ at, called: 'map', fits: isMap })

const component = (name: string): Shape => ({
  at: `components.${name}`,
  called: 'component',
  fits: value => value === undefined || isComponent(value),
})

const gateways = (name: string): Shape => ({
  at: `components.${name}`,
  called: 'list of at most one gateway',
  fits: value => value === undefined || (Array.isArray(value) && value.length < 2 && value.every(isComponent)),
})

const shapes: readonly Shape[] = [
  ...[text('hub'), text('tag'), map('components'), map('meshConfig'), map('values')],
  ...['base', 'pilot', 'cni', 'ztunnel'].map(component),
  ...['ingressGateways', 'egressGateways'].map(gateways),
]
