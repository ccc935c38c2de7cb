// Opens sockets to one API server, for calls and watches.
import { buildConnector } from 'undici'
import { Traffic } from './traffic.ts'

type Protocols = Pick<buildConnector.BuildOptions, 'allowH2' | 'preferH2'>

export type Connector = (protocols: Protocols) => buildConnector.connector

/** `options`: certificates, timeout, lookup. */
export const connectorFor =
  (options: buildConnector.BuildOptions, traffic = new Traffic(Number.POSITIVE_INFINITY)): Connector =>
  protocols =>
    traffic.counting(buildConnector({ ...options, ...protocols }))
