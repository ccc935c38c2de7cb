// The certificate a caller of webhooks shows. The TLS layer has checked its chain, dates and possession of the key; a
// failed check is answered 401 here instead of ending the handshake, so that the caller learns why.
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { Refused } from '../errors.ts'

/** Throws Refused unless the peer showed a certificate of the configured authorities with one of the names. */
export const checkClientCertificate = (socket: Socket, names: readonly string[]): void => {
  if (!(socket instanceof TLSSocket) || !socket.authorized) {
    const cause = socket instanceof TLSSocket ? socket.authorizationError : undefined
    throw new Refused('unauthenticated', { detail: 'a client certificate of the API server is needed', cause })
  }
  const name = socket.getPeerCertificate().subject?.CN
  if (names.length > 0 && !names.some(allowed => allowed === name)) throw new Refused('forbidden')
}
