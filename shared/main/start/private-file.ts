// Writes files that no other user of this machine may read, such as a kubeconfig with an administrator's token.
import { closeSync, fchmodSync, openSync, writeFileSync } from 'node:fs'

/** Replaces the content. A file that others could read is made private before the first byte is written. */
export const writePrivateFile = (path: string, text: string): void => {
  const file = openSync(path, 'w', privateMode)
  try {
    fchmodSync(file, privateMode)
    writeFileSync(file, text)
  } finally {
    closeSync(file)
  }
}

/** `open` sets this mode for new files only. */
const privateMode = 0o600
