// What a failed read means for a Manifest. An error does not contain its cluster, so errors of reads in the control plane are recorded.
// Example: a 503 of the control plane ends the call; a 503 of the runtime is reported in the Manifest's status.
import { type ClusterName, isDeleting } from '../../../shared/core/objects/object.ts'
import { errorText } from '../../../shared/core/text/error-text.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import { AccessError, ConnectionError, isForbidden, isTrouble } from '../../../shared/kube/errors.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { RendererBusy } from '../../../shared/runtime/renderer/renderer.ts'
import { rightsMissing } from '../reasons.ts'
import type { Found } from '../world.ts'

type NotedReads = { readonly reads: Reads; readonly errors: WeakSet<object> }

/** The same reads, but their errors are added to `errors`. */
export const notedReads = (reads: Reads): NotedReads => {
  const errors = new WeakSet<object>()
  const noting = (error: object) => {
    errors.add(error)
    throw error
  }
  return {
    errors,
    reads: {
      get: (ref, options) => reads.get(ref, options).catch(noting),
      list: query => reads.list(query).catch(noting),
    },
  }
}

type Failing = {
  readonly manifest: Manifest
  readonly on: ClusterName
  readonly ofControlPlane: WeakSet<object>
}

/** Throws if the control plane's API server has a fault, or if the call's time is over, because no status can be reported then. */
export const foundOnError = (error: unknown, { manifest, on, ofControlPlane }: Failing): Found => {
  if (error instanceof RendererBusy) return { is: 'postponed', seconds: error.seconds, because: error.message }
  if (error instanceof ConnectionError && error.loss === 'ended') throw error
  const isOfControlPlane = on === 'local' || ofControlPlane.has(error as object)
  if (isOfControlPlane && isTrouble(error)) throw error
  const text = on === 'local' && isForbidden(error) ? rightsMissing(errorText(error)) : errorText(error)
  if (!(error instanceof AccessError)) return { is: 'failed', fault: { text, needs: 'outside' } }
  if (error.reason === 'Missing' && isDeleting(manifest)) return { is: 'cutOff' }
  return { is: 'failed', fault: { text, needs: 'person' } }
}
