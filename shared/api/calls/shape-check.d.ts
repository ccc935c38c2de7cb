// The types of the generated shape-check.js.
import type { ErrorObject } from 'ajv'

/** Whether a body fits; `errors` tell what is wrong with the last one that did not, each with what it found. */
export type BodyFits = {
  (body: unknown): boolean
  errors?: readonly ErrorObject[] | null
}

export declare const keyFits: BodyFits
export declare const keysQuestionFits: BodyFits
