// The digest of a text or of bytes.
import { createHash } from 'node:crypto'

/** The 64 hex digits of its SHA-256. */
export const sha256Hex = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')
