// Checks the client certificate of a webhook's caller. TLS has verified its chain, its dates and that the caller has the key; a failed
// verification does not end the handshake but is answered 401 here, so that the caller learns why.
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { Refused } from '../errors.ts'

/** Throws Refused unless the certificate comes from a configured authority and carries one of the names. */
export const checkClientCertificate = (socket: Socket, names: readonly string[]): void => {
  if (!(socket instanceof TLSSocket) || !socket.authorized) {
    const cause = socket instanceof TLSSocket ? socket.authorizationError : undefined
    throw new Refused('unauthenticated', { detail: 'a client certificate of the API server is needed', cause })
  }
  const name = socket.getPeerCertificate().subject?.CN
  if (names.length > 0 && !names.some(allowed => allowed === name)) throw new Refused('forbidden')
}
