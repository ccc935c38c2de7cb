// A stand-in for an OCI registry, in this process. It serves what was put into it by the pull half of the distribution spec, asks for credentials in
// both usual ways, and gives any other answer that a test wants. The real one is in real-registry.ts.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { type Artifact, type Document, digestOf } from '../../make/artifact.ts'

/** What a test needs of a registry, stand-in or real. */
export type TestRegistry = {
  /** Host and port, with which repositories begin. */
  readonly host: string
  /** Returns the digest of the manifest. */
  push(repository: string, tag: string, artifact: Artifact): Promise<string>
}

export type StandInRegistry = TestRegistry & {
  /** An index, or a manifest whose blobs are there. */
  put(repository: string, tag: string, document: Document): string
  /** Adds a blob that no manifest needs to name, and returns its digest. */
  putBlob(repository: string, body: Buffer): string
  /** Every request so far. */
  readonly requests: readonly { method: string; path: string; authorization: string | undefined }[]
  /** `answer` is asked before everything else. If it returns undefined, the registry answers. */
  intercept(answer: (path: string, request: IncomingMessage) => Answer | undefined): void
}

export type Answer = { code: number; headers?: Record<string, string>; body?: string | Buffer }

/** Who may pull; everybody when absent. With `bearer`, the registry issues tokens for that user. */
export type Users = { readonly username: string; readonly password: string; readonly by: 'basic' | 'bearer' }

const token = 'a-token-of-the-stand-in'

/** Lasts as long as the test. */
export const standInRegistry = async (t: Test, users?: Users): Promise<StandInRegistry> => {
  const content = new Map<string, Document>()
  const requests: { method: string; path: string; authorization: string | undefined }[] = []
  let interceptor: (path: string, request: IncomingMessage) => Answer | undefined = () => undefined
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request
    requests.push({ method, path, authorization: headers.authorization })
    const answer = interceptor(path, request) ?? refused(request, users) ?? served(content, path)
    reply(response, answer, method)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const put = (repository: string, tag: string, document: Document): string => {
    const digest = digestOf(document.body)
    for (const reference of [tag, digest]) content.set(`/v2/${repository}/manifests/${reference}`, document)
    return digest
  }
  const putBlob = (repository: string, body: Buffer): string => {
    const digest = digestOf(body)
    content.set(`/v2/${repository}/blobs/${digest}`, { mediaType: 'application/octet-stream', body })
    return digest
  }
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    put,
    putBlob,
    push: async (repository, tag, { manifest, blobs }) => {
      for (const body of blobs) putBlob(repository, body)
      return put(repository, tag, manifest)
    },
    intercept: answer => {
      interceptor = answer
    },
  }
}

const served = (content: ReadonlyMap<string, Document>, path: string): Answer => {
  const found = content.get(path)
  if (!found) return { code: 404, body: JSON.stringify({ errors: [{ code: 'MANIFEST_UNKNOWN' }] }) }
  const { mediaType, body } = found
  return { code: 200, headers: { 'content-type': mediaType, 'docker-content-digest': digestOf(body) }, body }
}

const refused = ({ url = '', headers }: IncomingMessage, users: Users | undefined): Answer | undefined => {
  if (!users) return undefined
  const { host, authorization } = headers
  const basic = `Basic ${Buffer.from(`${users.username}:${users.password}`).toString('base64')}`
  if (url.startsWith('/token'))
    return authorization === basic ? { code: 200, body: JSON.stringify({ token }) } : { code: 401 }
  const challenge = {
    basic: 'Basic realm="stand-in"',
    bearer: `Bearer realm="http://${host}/token",service="stand-in",scope="repository:any:pull"`,
  }
  const expected = { basic, bearer: `Bearer ${token}` }[users.by]
  return authorization === expected ? undefined : { code: 401, headers: { 'www-authenticate': challenge[users.by] } }
}

const reply = (response: ServerResponse, { code, headers, body = '' }: Answer, method: string): void => {
  response.writeHead(code, { ...headers, 'content-length': Buffer.byteLength(body) })
  response.end(method === 'HEAD' ? undefined : body)
}
