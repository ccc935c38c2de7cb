// Lists the CEL functions of API servers, and decides which type faults of the CEL library an API server reports, too.
import type { TypeCheckResult } from '@marcbachmann/cel-js'

export type CelNode = { readonly op: string; readonly args: unknown }

type TypeFault = NonNullable<TypeCheckResult['error']>

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Functions of CEL, its extensions, and Kubernetes 1.36. The namespace of a function, such as `sets` in `sets.contains`, is left out. */
const functions = words(
  `all bool bytes contains double duration dyn endsWith exists existsOne exists_one filter first getDate getDayOfMonth getDayOfWeek
  getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth getSeconds has hasValue int last map matches none of ofNonZeroValue
  optFlatMap optMap or orValue size startsWith string timestamp transformList transformMap transformMapEntry type uint unwrap unwrapOpt value
  charAt distinct equivalent flatten format indexOf intersects join lastIndexOf lowerAscii quote range replace reverse slice sort sortBy split
  substring trim upperAscii
  add allowed asApproximateFloat asInteger byte check cidr compareTo containsCIDR containsIP date datetime dns1035Label dns1035LabelPrefix
  dns1123Label dns1123LabelPrefix dns1123Subdomain dns1123SubdomainPrefix error errored escapeKey family
  fieldSelector find findAll getEscapedPath getHost getHostname getPort getQuery getScheme group ip isCIDR isCanonical isGlobalUnicast
  isGreaterThan isIP isInteger isLessThan isLinkLocalMulticast isLinkLocalUnicast isLoopback isQuantity isSemver isSorted isURL isUnspecified
  labelSelector labelValue major masked max min minor name named namespace patch path prefixLength qualifiedName quantity reason resource semver
  serviceAccount sign sub subresource sum uri url uuid validate`,
)

/** The name `f` in `f(a)` or `a.f(b)`. */
const calledBy = ({ op, args }: CelNode): string | undefined =>
  (op === 'call' || op === 'rcall') && Array.isArray(args) ? String(args[0]) : undefined

export const unknownFunction = (nodes: readonly CelNode[]): string | undefined =>
  nodes.map(calledBy).find(name => name !== undefined && !functions.has(name))

/** Functions whose overloads are the same in Kubernetes and in the library. */
const sameFunctions = words('size startsWith endsWith contains matches lowerAscii upperAscii trim getFullYear getHours')

/**
 * The summary of the fault; undefined when an API server may accept the expression. API servers can, for example, compare optionals and
 * order bytes.
 */
export const typeFault = ({ code, node, summary }: TypeFault): string | undefined => {
  if (code === 'no_matching_overload') return sameFunctions.has(calledBy(node as CelNode) ?? '') ? summary : undefined
  return believed.has(code) && !disbelieved.test(summary) ? summary : undefined
}

const disbelieved = /\b(null|optional)\b|: bytes [<>]=? bytes$/

const believed = words(
  'no_such_key no_such_overload invalid_logical_operand invalid_condition_type incompatible_ternary_branches',
)

/** Whether the type is known and is not bool. */
export const isNoBool = (type: string | undefined): boolean =>
  type !== undefined && /^(string|int|uint|double|bytes|null|type|(list|map)\b.*|google\.protobuf\..*)$/.test(type)
