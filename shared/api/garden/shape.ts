// Whether a value has the shape of a Garden: the fields and types its schema names, with nothing said about which values
// are good and how they fit together. The check is code made ahead from the schema, so that it costs nothing at start.
import { type Fits, gardenFits, metadataFits, type ShapeError } from './shape-check.js'

/** The first field that is missing or of another type. */
export type ShapeFault =
  | { readonly is: 'missing'; readonly path: string }
  | { readonly is: 'unfit'; readonly path: string; readonly value: unknown; readonly message: string }

/** undefined when the value is a Garden as far as its shape goes. */
export const shapeFault = (value: unknown): ShapeFault | undefined => faultBy(gardenFits, value)

/** undefined when its metadata is as that of any object, whatever else it is. */
export const metadataFault = (value: unknown): ShapeFault | undefined => faultBy(metadataFits, value)

const faultBy = (fits: Fits, value: unknown): ShapeFault | undefined => {
  if (fits(value)) return undefined
  const [error] = fits.errors ?? []
  return error
    ? faultOf(value, error)
    : { is: 'unfit', path: '', value: null, message: 'has not the shape of a Garden' }
}

const faultOf = (root: unknown, { instancePath, keyword, params }: ShapeError): ShapeFault => {
  const steps = instancePath.split('/').slice(1).map(unescaped)
  if (keyword === 'required') return { is: 'missing', path: pathText([...steps, String(params.missingProperty)]) }
  const place = { path: pathText(steps), value: at(root, steps) }
  return { is: 'unfit', ...place, message: detailOf(keyword, params) }
}

const detailOf = (keyword: string, params: ShapeError['params']): string =>
  keyword === 'type' ? `must be of type ${params.type}` : `does not fit the ${keyword} of its schema`

const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~')

const pathText = (steps: readonly string[]): string =>
  steps.map((step, i) => (/^\d+$/.test(step) ? `[${step}]` : i === 0 ? step : `.${step}`)).join('')

const at = (root: unknown, steps: readonly string[]): unknown =>
  steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | null | undefined)?.[step], root)
