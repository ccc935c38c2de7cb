// Digests of texts and bytes.

import { createHash } from 'node:crypto'

export const sha256Hex = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')
