// Decides the identity of a component: the function itself, a service account, or a user with groups. A component with a service account,
// named or by default, must not add a user or groups, which could have more rights. Pure.
import { checks } from '../../../core/decisions/checks.ts'
import { isSubdomain } from '../../../core/objects/dns-name.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import type { Impersonation } from '../../../kube/client-types.ts'
import { type ConfigurationOptions, type FieldsRead, type FieldsSource, readInterface } from './configuration-fields.ts'

/** The impersonated users. Absent: no impersonation. */
export type ActingIdentity = {
  /** The user for the component's own cluster, also for reading references. */
  readonly here?: Impersonation
  /** The user for the cluster of a kubeconfig. The kubeconfig has its own user, so the kind's default account is not used there. */
  readonly there?: Impersonation
}

type Identified = { readonly identity: ActingIdentity } | { readonly faults: readonly string[] }

export const actingIdentity = (component: KubeObject, options: ConfigurationOptions): Identified => {
  const read = readInterface(component, 'impersonation', options.configuration)
  const misread = read.flatMap(({ faults }) => faults)
  if (misread.length > 0) return { faults: misread }
  const asked = askedIn(read, { component, options })
  const fault = identityFault(asked)
  if (fault !== undefined) return { faults: [fault] }
  const { account, namespace, defaultAccount } = asked
  const there = impersonationOf(asked)
  const usual =
    account === undefined && defaultAccount !== undefined ? accountUser(namespace, defaultAccount) : undefined
  return { identity: { there, here: there ?? (usual === undefined ? undefined : { user: usual, groups: [] }) } }
}

type Asked = {
  readonly namespace: string
  readonly source: FieldsSource
  readonly account: string | undefined
  /** The user, with the component's namespace inserted into `system:serviceaccount::x`. */
  readonly user: string | undefined
  readonly groups: readonly string[]
  /** All identity fields that are set in any place. */
  readonly given: readonly Field[]
  readonly defaultAccount: string | undefined
  readonly isOwnNamespaceOnly: boolean
}

type Field = keyof Fields

type Fields = { impersonationUser?: string; serviceAccountName?: string; impersonationGroups?: readonly string[] }

type Subject = { readonly component: KubeObject; readonly options: ConfigurationOptions }

const askedIn = (read: readonly [FieldsRead, ...FieldsRead[]], { component, options }: Subject): Asked => {
  const { namespace = '' } = component.metadata
  const [{ source, values }] = read
  const { impersonationUser, serviceAccountName: account, impersonationGroups: groups = [] } = values as Fields
  const counting = source === 'code' ? [values] : read.map(({ values }) => values)
  return {
    namespace,
    source,
    account,
    groups,
    user: impersonationUser?.replace(/^system:serviceaccount::/, () => accountUser(namespace, '')),
    given: counting.flatMap(fieldsGiven),
    defaultAccount: options.defaultServiceAccount,
    isOwnNamespaceOnly: options.impersonationScope === 'ownNamespace',
  }
}

/** An empty list of groups counts as absent. */
const fieldsGiven = (values: Fields): Field[] => {
  const { impersonationGroups = [], ...texts } = values
  return [
    ...(Object.keys(texts) as Field[]),
    ...(impersonationGroups.length > 0 ? ['impersonationGroups' as const] : []),
  ]
}

const accountUser = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`

const impersonationOf = ({ namespace, account, user, groups }: Asked): Impersonation | undefined => {
  const as = account === undefined ? user : accountUser(namespace, account)
  return as === undefined ? undefined : { user: as, groups }
}

const identityFault = checks(
  accountWithMore,
  defaultAccountWithMore,
  groupsAlone,
  namelessAccount,
  unprintable,
  foreign,
)

/** Fields that must not be combined with a service account. */
const moreIn = ({ given }: Asked): string[] =>
  (['impersonationUser', 'impersonationGroups'] as const).filter(field => given.includes(field))

function accountWithMore(asked: Asked): string | undefined {
  const more = moreIn(asked)
  if (!asked.given.includes('serviceAccountName') || more.length === 0) return undefined
  return `serviceAccountName cannot be set together with ${more.join(' and ')}`
}

/** Checks only fields of the component. The definition's code may combine all fields. */
function defaultAccountWithMore(asked: Asked): string | undefined {
  const more = moreIn(asked)
  if (asked.defaultAccount === undefined || asked.source === 'code' || more.length === 0) return undefined
  return `${more.join(' and ')} cannot be set: this kind impersonates the service account ${asked.defaultAccount}, or the service account in serviceAccountName`
}

function groupsAlone({ account, user, groups }: Asked): string | undefined {
  if (account !== undefined || user !== undefined || groups.length === 0) return undefined
  return 'impersonationGroups needs impersonationUser'
}

function namelessAccount({ account }: Asked): string | undefined {
  if (account === undefined || isSubdomain(account)) return undefined
  return `serviceAccountName is ${JSON.stringify(account).slice(0, 100)}, not the name of a service account`
}

function unprintable({ user = 'none', groups }: Asked): string | undefined {
  if ([user, ...groups].every(text => /^[\x21-\x7e]+$/.test(text))) return undefined
  return 'impersonationUser or impersonationGroups contain characters that no name can have'
}

function foreign({ isOwnNamespaceOnly, namespace, user, groups }: Asked): string | undefined {
  if (!isOwnNamespaceOnly || user === undefined) return undefined
  if (user.startsWith(accountUser(namespace, '')) && groups.length === 0) return undefined
  return `only service accounts of namespace ${namespace} may be impersonated, without groups; not ${user}`
}
