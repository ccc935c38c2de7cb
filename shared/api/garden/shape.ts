// Whether a value has the shape of a Garden: the fields and types its schema names, with nothing said about which values
// are good and how they fit together.
import { type Misfit, shapeMisfit } from '../fit.ts'
import { list, mapOf, object, options, text } from '../schema.ts'
import { gardenSpec } from './spec.ts'

/** The first field that is missing or of another type. */
export type ShapeFault =
  | { readonly is: 'missing'; readonly path: string }
  | { readonly is: 'unfit'; readonly path: string; readonly value: unknown; readonly message: string }

/** The metadata that webhooks read of any object. */
const metadata = options({ name: text, annotations: mapOf(text), finalizers: list(text), deletionTimestamp: text })

const gardenShape = object({ metadata, spec: gardenSpec })
const metadataShape = object({ metadata })

/** undefined when the value is a Garden as far as its shape goes. */
export const shapeFault = (value: unknown): ShapeFault | undefined => faultOf(shapeMisfit(gardenShape, value))

/** undefined when its metadata is as that of any object, whatever else it is. */
export const metadataFault = (value: unknown): ShapeFault | undefined => faultOf(shapeMisfit(metadataShape, value))

const faultOf = (found: Misfit | undefined): ShapeFault | undefined => {
  if (found === undefined) return undefined
  const { path, value, field, schema } = found
  return field === undefined
    ? { is: 'unfit', path: pathText(path), value, message: `must be of type ${schema.type}` }
    : { is: 'missing', path: pathText([...path, field]) }
}

const pathText = (steps: readonly string[]): string =>
  steps.map((step, i) => (/^\d+$/.test(step) ? `[${step}]` : i === 0 ? step : `.${step}`)).join('')
