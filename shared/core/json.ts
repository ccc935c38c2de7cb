// The questions everybody asks of parsed JSON.

export type JsonMap = Record<string, unknown>

/** An object in JSON's sense: no list, no null. */
export const isMap = (value: unknown): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A string that says something. */
export const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
