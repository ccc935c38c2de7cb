// Whether a value has the shape of a Garden: the fields and types its schema names, with nothing said about how they fit
// together. The check is code made ahead from the schema, so that it costs nothing at start.
import { type Fits, gardenFits, metadataFits, type ShapeError } from './shape-check.js'

/** The first field that is not as the schema says. */
export type ShapeFault = { readonly path: string; readonly value: unknown; readonly message: string }

/** undefined when the value is a Garden as far as its shape goes. */
export const shapeFault = (value: unknown): ShapeFault | undefined => faultBy(gardenFits, value)

/** undefined when its metadata is as that of any object, whatever else it is. */
export const metadataFault = (value: unknown): ShapeFault | undefined => faultBy(metadataFits, value)

const faultBy = (fits: Fits, value: unknown): ShapeFault | undefined => {
  if (fits(value)) return undefined
  const [error] = fits.errors ?? []
  return error ? faultOf(value, error) : { path: '', value: null, message: 'has not the shape of a Garden' }
}

const faultOf = (root: unknown, { instancePath, keyword, params }: ShapeError): ShapeFault => {
  const steps = instancePath.split('/').slice(1).map(unescaped)
  const missing = keyword === 'required' ? [String(params.missingProperty)] : []
  const value = missing.length > 0 ? null : at(root, steps)
  return { path: pathText([...steps, ...missing]), value, message: detailOf(keyword, params) }
}

const detailOf = (keyword: string, params: ShapeError['params']): string => {
  if (keyword === 'required') return 'is required'
  if (keyword === 'type') return `must be of type ${params.type}`
  return `does not fit the ${keyword} of its schema`
}

const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~')

const pathText = (steps: readonly string[]): string =>
  steps.map((step, i) => (/^\d+$/.test(step) ? `[${step}]` : i === 0 ? step : `.${step}`)).join('')

const at = (root: unknown, steps: readonly string[]): unknown =>
  steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | null | undefined)?.[step], root)
