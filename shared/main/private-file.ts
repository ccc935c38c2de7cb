// Files that hold what nobody else on this machine may read, such as a kubeconfig with an administrator's token.
import { closeSync, fchmodSync, openSync, writeFileSync } from 'node:fs'

/** Replaces the content. A file that others could read is theirs no more before the first byte is in it. */
export const writePrivateFile = (path: string, text: string): void => {
  const file = openSync(path, 'w', privateMode)
  try {
    fchmodSync(file, privateMode)
    writeFileSync(file, text)
  } finally {
    closeSync(file)
  }
}

/** Given to `open` it holds for new files only. */
const privateMode = 0o600
