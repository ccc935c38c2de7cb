// Checks whether a value has the fields and types of a Garden, but not whether values are valid or fit together.
import { type Misfit, pathText, shapeMisfit } from '../fit.ts'
import { list, mapOf, object, options, text } from '../schema.ts'
import { gardenSpec } from './spec.ts'

/** The first missing field, or field of another type. */
export type ShapeFault =
  | { readonly is: 'missing'; readonly path: string }
  | { readonly is: 'unfit'; readonly path: string; readonly value: unknown; readonly message: string }

const metadata = options({ name: text, annotations: mapOf(text), finalizers: list(text), deletionTimestamp: text })

const gardenShape = object({ metadata, spec: gardenSpec })
const metadataShape = object({ metadata })

/** undefined when the value has the shape of a Garden. */
export const shapeFault = (value: unknown): ShapeFault | undefined => faultOf(shapeMisfit(gardenShape, value))

export const metadataFault = (value: unknown): ShapeFault | undefined => faultOf(shapeMisfit(metadataShape, value))

const faultOf = (found: Misfit | undefined): ShapeFault | undefined => {
  if (found === undefined) return undefined
  const { path, value, field, schema } = found
  return field === undefined
    ? { is: 'unfit', path: pathText(path), value, message: `must be of type ${schema.type}` }
    : { is: 'missing', path: pathText([...path, field]) }
}
