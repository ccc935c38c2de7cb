// Pseudo-random bytes for templates. The same call of the same template in the same revision always gets the same bytes, so a chart
// generates a password once per revision. The bytes cannot be guessed without the key.
import { createHmac } from 'node:crypto'
import type { RandomPurpose } from './generator.ts'

export type Seed = { readonly key: Uint8Array; readonly uid: string; readonly revision: number }

export const drawFrom =
  ({ key, uid, revision }: Seed) =>
  ({ template, call }: RandomPurpose, bytes: number): Uint8Array => {
    const block = (index: number): Buffer =>
      createHmac('sha256', key)
        .update(JSON.stringify([uid, revision, template, call, index]))
        .digest()
    const blocks = Array.from({ length: Math.ceil(bytes / 32) }, (_, index) => block(index))
    return Buffer.concat(blocks).subarray(0, bytes)
  }
