// Posts events to the control plane over mutual TLS, with a certificate that is read again after its files were replaced. delivery.ts repeats failed
// events.
import { readFileSync, statSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { Pool } from 'undici'
import type { Log } from '../core/log.ts'
import { errorText } from '../core/text/error-text.ts'
import { retryAfterIn } from '../kube/connection/answers.ts'
import { connectionErrorOf } from '../kube/connection/connection-errors.ts'
import { ConnectionError, type Loss } from '../kube/errors.ts'
import type { Sending } from './event-queue.ts'

/** `refused`: the answer has an HTTP status of failure. `certificate`: the agent has no certificate. */
export type FailureReason = Loss | 'refused' | 'certificate'

export type PostFailure = {
  readonly reason: FailureReason
  /** An HTTP status, or an error code of the system or undici. */
  readonly code: number | string
  readonly retryAfterSeconds?: number
}

export type ControlPlane = {
  /** Resolves to undefined when the event was accepted. */
  post(sending: Sending): Promise<PostFailure | undefined>
  /** Aborts running requests. */
  close(): Promise<void>
}

type ControlPlaneAccess = {
  readonly address: string
  /** First segment of the path, such as `v2`. */
  readonly contract: string
  readonly certificate: CurrentCertificate
  readonly userAgent: string
}

const answerMilliseconds = 10_000

/** Connects with the first event, and again after the certificate changed. */
export const controlPlane = (access: ControlPlaneAccess): ControlPlane => {
  let current: { certificate: AgentCertificate; pool: Pool } | undefined
  const poolNow = (certificate: AgentCertificate): Pool => {
    if (current?.certificate === certificate) return current.pool
    void current?.pool.close()
    current = { certificate, pool: poolWith(certificate, access.address) }
    return current.pool
  }
  return {
    post: async sending => {
      const certificate = access.certificate()
      if (certificate === undefined) return { reason: 'certificate', code: 'MISSING' }
      return posted(poolNow(certificate), sending, access)
    },
    close: async () => current?.pool.destroy(),
  }
}

const poolWith = ({ authorities, certificate, key }: AgentCertificate, address: string): Pool =>
  new Pool(`https://${address}`, {
    connections: 4,
    headersTimeout: answerMilliseconds,
    bodyTimeout: answerMilliseconds,
    connect: {
      ca: authorities,
      cert: certificate,
      key,
      minVersion: 'TLSv1.3',
      timeout: answerMilliseconds,
      // The listener may send its authority in the handshake. Without this option, OpenSSL looks for an issuer by name, and fails if a
      // newer authority has the same name and another key.
      allowPartialTrustChain: true,
    },
  })

const posted = async (
  pool: Pool,
  { manager, event }: Sending,
  { contract, userAgent }: ControlPlaneAccess,
): Promise<PostFailure | undefined> => {
  const path = `/${contract}/${encodeURIComponent(manager)}/event`
  const headers = { 'content-type': 'application/json', 'user-agent': userAgent }
  try {
    const answer = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(event) })
    await answer.body.dump()
    if (answer.statusCode === 200) return undefined
    const retryAfterSeconds = retryAfterIn(answer.headers['retry-after'])
    return { reason: 'refused', code: answer.statusCode, retryAfterSeconds }
  } catch (error) {
    const known = connectionErrorOf(error, { method: 'POST', path })
    if (known instanceof ConnectionError) return { reason: known.loss, code: known.code }
    throw error
  }
}

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
