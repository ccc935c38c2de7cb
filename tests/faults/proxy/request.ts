// What an HTTP request asks of an API server, in Kubernetes' own words: verb, resource, object. Pure; what is done about
// a request is told in rules.ts and faults.ts.

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'apply' | 'delete' | 'deletecollection'

export const writeVerbs: readonly Verb[] = ['create', 'update', 'patch', 'apply', 'delete', 'deletecollection']
export const readVerbs: readonly Verb[] = ['get', 'list', 'watch']

export type KubeRequest = {
  readonly verb: Verb
  readonly group: string
  /** `gardens`, or `gardens/status`; empty for paths that are no resource, like discovery. */
  readonly resource: string
  /** Empty for cluster-scoped objects and for lists over all namespaces. */
  readonly namespace: string
  /** Empty for collections, so also for every create. */
  readonly name: string
  /** Which part of a collection, in the words of the query. */
  readonly selectors: string
  readonly isDryRun: boolean
}

export type HttpRequest = { readonly method: string; readonly url: string; readonly contentType?: string }

/** The request as the API server's authorizer would name it; server-side apply is a verb of its own here. */
export const kubeRequest = ({ method, url, contentType = '' }: HttpRequest): KubeRequest => {
  const [pathname = '', query] = url.split('?')
  const searchParams = new URLSearchParams(query)
  const place = placeOf(pathname.split('/').filter(Boolean).map(decodeURIComponent))
  const isWatch = ['1', 'true'].includes(searchParams.get('watch') ?? '')
  const isDryRun = searchParams.has('dryRun')
  const verb = verbOf(method, { contentType, isWatch, isCollection: place.name === '' })
  const selectors = ['labelSelector', 'fieldSelector']
    .map(name => searchParams.get(name) ?? '')
    .join(' ')
    .trim()
  return { ...place, verb, selectors, isDryRun }
}

export const isWrite = ({ verb }: Pick<KubeRequest, 'verb'>): boolean => writeVerbs.includes(verb)

type Place = Pick<KubeRequest, 'group' | 'resource' | 'namespace' | 'name'>

const placeOf = (parts: readonly string[]): Place => {
  const [root, ...rest] = parts
  if (root === 'api' && rest.length > 1) return inGroup('', rest.slice(1))
  if (root === 'apis' && rest.length > 2) return inGroup(rest[0] ?? '', rest.slice(2))
  return { group: '', resource: '', namespace: '', name: parts.join('/') }
}

/** What a namespace has below itself that is not an object in it. */
const namespaceSubresources = ['status', 'finalize']

const inGroup = (group: string, parts: readonly string[]): Place => {
  const [first = '', namespace = '', resource = ''] = parts
  const isInNamespace = first === 'namespaces' && parts.length > 2 && !namespaceSubresources.includes(resource)
  return isInNamespace
    ? { group, namespace, ...object(parts.slice(2)) }
    : { group, namespace: '', ...object([first, ...parts.slice(1)]) }
}

const object = ([resource = '', name = '', ...subresource]: readonly string[]) => ({
  resource: [resource, ...subresource].join('/'),
  name,
})

type Circumstances = { contentType: string; isWatch: boolean; isCollection: boolean }

const verbs: readonly [method: string, when: (request: Circumstances) => boolean, verb: Verb][] = [
  ['GET', request => request.isWatch, 'watch'],
  ['GET', request => request.isCollection, 'list'],
  ['GET', () => true, 'get'],
  ['POST', () => true, 'create'],
  ['PUT', () => true, 'update'],
  ['PATCH', request => request.contentType.startsWith('application/apply-patch'), 'apply'],
  ['PATCH', () => true, 'patch'],
  ['DELETE', request => request.isCollection, 'deletecollection'],
  ['DELETE', () => true, 'delete'],
]

const verbOf = (method: string, request: Circumstances): Verb =>
  verbs.find(([name, when]) => name === method && when(request))?.[2] ?? 'get'
