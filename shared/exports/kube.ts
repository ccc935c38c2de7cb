// `import … from 'espalier/kube'`: the client of an API server. The host uses it for all reads and writes of functions.
//
//   const client = createClient(await ownKubeconfigAccess({ files: ['/home/me/.kube/config'] }))
//   await client.apply(configMap, { fieldManager: 'me' })
export { createClient } from '../kube/client/client.ts'
export type {
  ApplyOptions,
  Client,
  ClientOptions,
  DeleteOptions,
  GetOptions,
  ListQuery,
  Reads,
  WatchEvent,
  WatchQuery,
  WriteOptions,
} from '../kube/client-types.ts'
export type { ClusterAccess, Credentials } from '../kube/clusters/access.ts'
export { inClusterAccess } from '../kube/clusters/access.ts'
export {
  AccessError,
  ApiError,
  ConnectionError,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNotFound,
  KindNotServed,
  needsRelist,
  StreamError,
} from '../kube/errors.ts'
export { ownKubeconfigAccess } from '../kube/kubeconfigs/own-kubeconfig.ts'
