// Networks: each network is a CIDR, and networks that must be distinct do not overlap.
import { type Family, type Network, parseNetwork } from '../../../../shared/core/network/cidr.ts'
import { type FieldError, invalid } from '../../../../shared/core/objects/field-error.ts'
import { overlaps } from '../network-overlaps.ts'
import { networking, virtualServices } from '../paths.ts'
import {
  eachOnce,
  type FieldPlace,
  forbiddenIf,
  type GardenRule,
  invalidIf,
  mustBeOneOf,
  relationOfEach,
} from '../rule.ts'

type Networks = readonly string[]
type Networking = { nodes?: Networks; pods: Networks; services: Networks; blockCIDRs?: Networks }

const families: readonly string[] = ['IPv4', 'IPv6']
const lists = ['nodes', 'pods', 'services', 'blockCIDRs'] as const
type List = (typeof lists)[number]

/** A network with its text and index in the Garden's list. */
type Listed = Network & { readonly text: string; readonly index: number }

const isUnreadable = (text: string): boolean => parseNetwork(text) === undefined

const readable = (texts: Networks = []): Listed[] =>
  texts.flatMap((text, index) => {
    const network = parseNetwork(text)
    return network ? [{ ...network, text, index }] : []
  })

const familyOf = (text: string): Family | undefined => parseNetwork(text)?.family

type Placed = Exclude<List, 'blockCIDRs'>

type Found = { readonly list?: Placed; readonly one: Listed; readonly other: Listed; readonly with: Placed }

/** Pairs of lists in the runtime cluster that must not overlap. Errors name the first list of a pair. */
const apart: readonly (readonly [Placed, Placed])[] = [
  ['nodes', 'pods'],
  ['nodes', 'services'],
  ['pods', 'services'],
]

/** Checks overlaps only if all networks can be parsed. */
function* overlapsWithin(networks: Networking): Generator<Found, undefined> {
  const { nodes = [], pods, services, blockCIDRs = [] } = networks
  const read = { nodes: readable(nodes), pods: readable(pods), services: readable(services) }
  const count = nodes.length + pods.length + services.length
  if (read.nodes.length + read.pods.length + read.services.length < count || blockCIDRs.some(isUnreadable)) return
  for (const [list, other] of apart) {
    for (const overlap of overlaps(read[list], read[other])) yield { ...overlap, list, with: other }
  }
}

function* overlapsWithRuntime(services: Networks, networks: Networking): Generator<Found, undefined> {
  const own = readable(services)
  for (const other of ['pods', 'services', 'nodes'] as const) {
    for (const overlap of overlaps(own, readable(networks[other]))) yield { ...overlap, with: other }
  }
}

const overlapError = ({ path }: FieldPlace, { list, one, other, with: otherList }: Found): FieldError =>
  invalid(
    `${list ? `${path}.${list}` : path}[${one.index}]`,
    one.text,
    `overlaps ${other.text} in ${networking}.${otherList}`,
  )

export const networkRules: readonly GardenRule[] = [
  invalidIf<string>(
    [...lists.map(list => `${networking}.${list}[]`), `${virtualServices}[]`],
    isUnreadable,
    'must be an IP network in CIDR notation, such as 10.1.0.0/16',
  ),
  relationOfEach<Networking, Found>({
    at: [networking],
    check: overlapsWithin,
    error: overlapError,
  }),
  relationOfEach<Networks, Found>({
    at: [virtualServices],
    check: (services, { garden }) => overlapsWithRuntime(services, garden.spec.runtimeCluster.networking),
    error: overlapError,
  }),
  forbiddenIf<Networks>(
    [virtualServices],
    services => services.length > 2,
    'at most two ranges, one of each IP family',
  ),
  forbiddenIf<Networks>(
    [virtualServices],
    ([one = '', other = '', ...more]) =>
      more.length === 0 && familyOf(one) !== undefined && familyOf(one) === familyOf(other),
    'two ranges must be of different IP families',
  ),
  mustBeOneOf([`${networking}.ipFamilies[]`], families),
  eachOnce({ at: [`${networking}.ipFamilies`] }),
]
