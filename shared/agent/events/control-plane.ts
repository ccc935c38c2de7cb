// Posts events to the control plane over mutual TLS. Nothing is kept here: delivery.ts sends again what was not taken.
import { Pool } from 'undici'
import { retryAfterIn } from '../../kube/connection/answers.ts'
import { connectionErrorOf } from '../../kube/connection/connection-errors.ts'
import { ConnectionError, type Loss } from '../../kube/errors.ts'
import type { AgentCertificate, CurrentCertificate } from '../certificate.ts'
import type { Sending } from './event-queue.ts'

/** Why an event was not taken. `refused`: by the status of the answer; `certificate`: the agent has none. */
export type FailureReason = Loss | 'refused' | 'certificate'

export type PostFailure = {
  readonly reason: FailureReason
  /** An HTTP status, or the error code of the system or of undici. */
  readonly code: number | string
  readonly retryAfterSeconds?: number
}

export type ControlPlane = {
  /** Resolves to undefined once the event is taken. */
  post(sending: Sending): Promise<PostFailure | undefined>
  /** Breaks off what is under way. */
  close(): Promise<void>
}

type ControlPlaneAccess = {
  /** `host:port`. */
  readonly address: string
  /** The first segment of the path, such as `v2`. */
  readonly contract: string
  readonly certificate: CurrentCertificate
  readonly userAgent: string
}

const answerMilliseconds = 10_000

/** It connects when the first event is posted, and anew when the certificate has changed. */
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
      // The listener may show an authority itself. OpenSSL looks for one of that name, and stops at a newer one with another key, unless it
      // is told that what is trusted needs no issuer.
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
