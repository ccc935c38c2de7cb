// The agent's certificate, for the API server and the control plane. Read again after its files were replaced.
import { readFileSync, statSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { Log } from '../core/log.ts'
import { errorText } from '../core/text/error-text.ts'

export type AgentCertificate = {
  /** PEM of the authorities that sign the control plane's certificate. */
  readonly authorities: string
  readonly certificate: string
  readonly key: string
}

/** Returns the same object until the files change; undefined before the first valid files. */
export type CurrentCertificate = () => AgentCertificate | undefined

type CertificateFiles = { readonly authorities: string; readonly certificate: string; readonly key: string }

/** If files are missing or do not fit together, the previous certificate stays in use. */
export const certificateIn = (files: CertificateFiles, log: Log): CurrentCertificate => {
  let seen = ''
  let current: AgentCertificate | undefined
  return () => {
    const mark = Object.values(files).map(markOf).join()
    if (mark === seen) return current
    seen = mark
    try {
      current = readFrom(files)
    } catch (error) {
      log.error({ files, error: errorText(error) }, 'the certificate cannot be used')
    }
    return current
  }
}

const markOf = (path: string): string => {
  const file = statSync(path, { throwIfNoEntry: false })
  return file ? `${file.ino} ${file.mtimeMs} ${file.size}` : 'missing'
}

const readFrom = (files: CertificateFiles): AgentCertificate => {
  const [authorities, certificate, key] = [files.authorities, files.certificate, files.key].map(path =>
    readFileSync(path, 'utf8'),
  )
  const read = { authorities: authorities ?? '', certificate: certificate ?? '', key: key ?? '' }
  createSecureContext({ ca: read.authorities, cert: read.certificate, key: read.key })
  return read
}
