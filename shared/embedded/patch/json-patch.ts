// JSON patch (RFC 6902) with the API server's limits and words; how it is applied is in core/json/json-patch-apply.ts.
import { jsonPatched as applied, JsonPatchError } from '../../core/json/json-patch-apply.ts'
import { badRequest, StatusError, tooLarge } from '../status.ts'
import { isMap } from '../value.ts'

const mostOperations = 10_000

/** As many bytes as a request may have. */
const mostCopied = 3 * 1024 * 1024

/** The document after all operations; the given one is not changed. */
export const jsonPatched = (document: unknown, patch: unknown): unknown => {
  if (!Array.isArray(patch)) throw badRequest('json: cannot unmarshal object into Go value of type jsonpatch.Patch')
  if (patch.length > mostOperations)
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${mostOperations}, got ${patch.length}`)
  if (!patch.every(isMap)) throw badRequest('json: cannot unmarshal into Go value of type jsonpatch.Operation')
  try {
    return applied(document, patch, mostCopied)
  } catch (error) {
    throw error instanceof JsonPatchError ? new PatchFault(error.message) : error
  }
}

/** The API server keeps the cause to itself: every operation that does not apply is answered alike. */
export class PatchFault extends StatusError {
  readonly why: string

  constructor(why: string) {
    super(422, 'Invalid', 'the server rejected our request due to an error in our request', {})
    this.why = why
  }
}
