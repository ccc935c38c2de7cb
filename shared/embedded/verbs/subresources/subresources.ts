// Subresources other than status: each a small verb of its own.
import { methodNotAllowed } from '../../status.ts'
import type { Call, Reply } from '../call.ts'
import { approval } from './approval.ts'
import { binding } from './binding.ts'
import { eviction } from './eviction.ts'
import { finalize } from './finalize.ts'
import { scale } from './scale.ts'
import { token } from './token.ts'

type Subresource = (call: Call, method: string) => Promise<Reply> | Reply

const only =
  (method: string, run: (call: Call) => Promise<Reply>): Subresource =>
  (call, given) => {
    if (given !== method) throw methodNotAllowed()
    return run(call)
  }

export const subresources: Readonly<Record<string, Subresource>> = {
  scale,
  finalize: only('PUT', finalize),
  token: only('POST', token),
  binding: only('POST', binding),
  eviction: only('POST', eviction),
  approval,
}
