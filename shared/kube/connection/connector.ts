// Makes the sockets to one API server, for calls and watches alike.
import { buildConnector } from 'undici'
import { Traffic } from './traffic.ts'

/** Which versions of HTTP a server is offered. */
type Protocols = Pick<buildConnector.BuildOptions, 'allowH2' | 'preferH2'>

export type Connector = (protocols: Protocols) => buildConnector.connector

/** `options`: certificates, timeout, lookup. Without `traffic` nothing is counted. */
export const connectorFor =
  (options: buildConnector.BuildOptions, traffic = new Traffic(Number.POSITIVE_INFINITY)): Connector =>
  protocols =>
    traffic.counting(buildConnector({ ...options, ...protocols }))
