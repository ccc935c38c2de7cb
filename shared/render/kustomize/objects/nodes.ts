// Values as YAML nodes: missing, null, or a scalar with its own text.

/** No value at all; null and undefined are values (see documents.ts). */
export const absent: unique symbol = Symbol('absent')

/** Missing or null. */
export const isNothing = (value: unknown): boolean => value === absent || value === null || value === undefined

/** A scalar as it is written; '' for collections. */
export const nodeText = (value: unknown): string => (value === null ? 'null' : nodeScalar(value))

/** The text of a scalar; '' for anything else, null included. */
export const nodeScalar = (value: unknown): string =>
  isNothing(value) || typeof value === 'object' ? '' : String(value)
