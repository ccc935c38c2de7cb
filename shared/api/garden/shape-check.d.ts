// The types of the generated shape-check.js.

/** As Ajv tells it. */
export type ShapeError = {
  readonly instancePath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Whether a value fits; `errors` tell what is wrong with the last one that did not. */
export type Fits = {
  (value: unknown): boolean
  errors?: readonly ShapeError[] | null
}

export declare const gardenFits: Fits
export declare const metadataFits: Fits
