// RSA keys for tests that tell of something else than keys: generating one takes seconds, so in a process that imports this file all of a
// size are the same. A stand-in for chance.
import { webcrypto } from 'node:crypto'

const generated = new Map<string, Promise<webcrypto.CryptoKeyPair>>()
const generate = webcrypto.subtle.generateKey.bind(webcrypto.subtle) as (
  ...args: unknown[]
) => Promise<webcrypto.CryptoKeyPair>

/** Once for all sizes of RSA; other algorithms are quick and stay as they are. */
const quickly = (algorithm: { name: string }, ...rest: unknown[]): Promise<webcrypto.CryptoKeyPair> => {
  if (!algorithm.name.startsWith('RSA')) return generate(algorithm, ...rest)
  const id = JSON.stringify({ ...algorithm, modulusLength: 2048 })
  const keys = generated.get(id) ?? generate({ ...algorithm, modulusLength: 2048 }, ...rest)
  generated.set(id, keys)
  return keys
}

Object.assign(webcrypto.subtle, { generateKey: quickly })
