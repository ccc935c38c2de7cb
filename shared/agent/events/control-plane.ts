// Posts events to the control plane over mutual TLS. delivery.ts repeats failed events.
import { Pool } from 'undici'
import { retryAfterIn } from '../../kube/connection/answers.ts'
import { connectionErrorOf } from '../../kube/connection/connection-errors.ts'
import { ConnectionError, type Loss } from '../../kube/errors.ts'
import type { AgentCertificate, CurrentCertificate } from '../certificate.ts'
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
