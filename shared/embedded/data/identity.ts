// The cluster's identity, stored apart from its objects: its authority, the key that signs tokens, the administrator's token,
// and the port it used last.
import type { Credentials } from '../identity/authority.ts'
import { contentOf, replaceFile } from './files.ts'

export type Identity = {
  readonly authority: Credentials
  readonly tokenKey: string
  readonly adminToken: string
  readonly port: number
}

export const readIdentity = (path: string): Identity | undefined => {
  const content = contentOf(path)
  return content && (JSON.parse(content.toString()) as Identity)
}

export const writeIdentity = (path: string, identity: Identity): void =>
  replaceFile(path, [`${JSON.stringify(identity, undefined, 2)}\n`])
