// Which addresses the policies let Pods out to, for random networks: exactly those that the sentences about them say. Who
// is inside a network is judged by Node's own BlockList, not by the arithmetic under test.
import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import t from 'tap'
import { decide } from '../../../functions/garden-network-policy/decide.ts'
import { addressAt, networkText, parseAddress, parseNetwork } from '../../../shared/core/network/cidr.ts'
import { garden } from '../../make/garden/garden.ts'
import { namespaceOf } from '../../make/objects/namespaces.ts'

type Family = 'IPv4' | 'IPv6'
const familyOf = (address: string): Family => (isIP(address) === 6 ? 'IPv6' : 'IPv4')
const typeOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

const isIn = (address: string, cidrs: readonly string[]): boolean => {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [network = '', prefix] = cidr.split('/')
    if (familyOf(network) === familyOf(address)) list.addSubnet(network, Number(prefix), typeOf(network))
  }
  return list.check(address, typeOf(address))
}

const privateNetworks: Record<Family, string[]> = {
  IPv4: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'],
  IPv6: ['fe80::/10', 'fc00::/7'],
}

type Chosen = Record<'pods' | 'services' | 'nodes' | 'blockCIDRs' | 'shoot', string[]> & { ipFamilies: Family[] }

/** What the table of policies says, in the words of the table. */
const isAllowed: Record<string, (address: string, chosen: Chosen) => boolean> = {
  'allow-to-public-networks': (address, chosen) =>
    chosen.ipFamilies.includes(familyOf(address)) &&
    !isIn(address, privateNetworks[familyOf(address)]) &&
    !isIn(address, chosen.blockCIDRs) &&
    (familyOf(address) === 'IPv4' || !isIn(address, cluster(chosen))),
  'allow-to-private-networks': (address, chosen) =>
    chosen.ipFamilies.includes(familyOf(address)) &&
    isIn(address, privateNetworks[familyOf(address)]) &&
    !isIn(address, [...cluster(chosen), ...chosen.blockCIDRs, ...chosen.shoot]),
  'allow-to-blocked-cidrs': (address, chosen) => isIn(address, chosen.blockCIDRs),
}
const cluster = ({ pods, services, nodes }: Chosen) => [...pods, ...services, ...nodes]

/** Addresses near the borders of private networks, where mistakes would be. */
const heads: Record<Family, string[]> = {
  IPv4: ['10.0', '10.255', '172.16', '172.31', '172.32', '192.168', '100.64', '100.127', '0.0', '255.255', '8.8'],
  IPv6: ['fe80', 'febf', 'fec0', 'fc00', 'fdff', 'fe00', '2001:db8', '0', 'ffff', 'fd00:ec2'],
}

const address = (family: Family): fc.Arbitrary<string> => {
  const [most, count, mark] = family === 'IPv4' ? [255, 4, '.'] : [0xffff, 8, ':']
  const part = fc.oneof(fc.constantFrom(0, 1, most - 1, most), fc.nat(most))
  return fc
    .tuple(fc.constantFrom(...heads[family]), fc.array(part, { minLength: 8, maxLength: 8 }))
    .map(([head, rest]) => {
      const texts = rest.map(number => number.toString(family === 'IPv4' ? 10 : 16))
      return [...head.split(mark), ...texts].slice(0, count).join(mark)
    })
}

const cidr = (family: Family): fc.Arbitrary<string> => {
  const longest = family === 'IPv4' ? 32 : 128
  const prefix = fc.oneof(fc.integer({ min: 0, max: 16 }), fc.integer({ min: 0, max: longest }))
  return fc.tuple(address(family), prefix).map(([start, length]) => `${start}/${length}`)
}

const families: readonly Family[] = ['IPv4', 'IPv6']
const anyCidr = fc.oneof(...families.map(cidr))
const cidrs = fc.array(anyCidr, { maxLength: 3 })

const chosen: fc.Arbitrary<Chosen> = fc.record({
  pods: cidrs,
  services: cidrs,
  nodes: cidrs,
  blockCIDRs: cidrs,
  shoot: cidrs,
  ipFamilies: fc.subarray([...families], { minLength: 1 }),
})

type Peer = { ipBlock: { cidr: string; except?: string[] } }

const peersOf = ({ shoot, ...networking }: Chosen, policy: string): Peer[] => {
  const plan = decide({
    gardens: [garden({ spec: { runtimeCluster: { networking } } })],
    namespaces: [namespaceOf('shoot', 'shoot--x--y')],
    chosen: new Set(),
    policies: [],
    apiServer: [],
    shoots: new Map([['shoot--x--y', shoot]]),
  })
  const objects = plan.steps.flatMap(step => (step.do === 'create' ? [step.object] : []))
  const { egress = [] } = (objects.find(({ metadata }) => metadata.name === policy)?.spec ?? {}) as {
    egress?: { to: Peer[] }[]
  }
  if (egress.some(({ to }) => to.length === 0)) throw new Error('a rule without peers lets everything out')
  return egress.flatMap(({ to }) => to)
}

/** First and last address of each network and their neighbours. */
const bordersOf = (networks: readonly string[]): string[] =>
  networks.flatMap(text => {
    const network = parseNetwork(text)
    if (!network) return []
    const longest = network.family === 'IPv4' ? 32 : 128
    const last = network.first + (1n << BigInt(longest - network.prefix)) - 1n
    return [network.first - 1n, network.first, last, last + 1n]
      .filter(first => first >= 0n && first < 1n << BigInt(longest))
      .map(first => networkText({ ...network, first, prefix: longest }).replace(/\/.*/, ''))
  })

const isPlain = (text: string) => !/^::ffff:/.test(text)

for (const [policy, wanted] of Object.entries(isAllowed))
  t.test(`GA-135 GA-143 ${policy} lets out to exactly what the table says`, async () => {
    fc.assert(
      fc.property(
        chosen,
        fc.array(fc.oneof(...families.map(address)), { minLength: 5, maxLength: 20 }),
        (world, some) => {
          const peers = peersOf(world, policy)
          const networks = [...Object.values(world).flat(), ...Object.values(privateNetworks).flat()]
          for (const address of [...some, ...bordersOf(networks)].filter(isPlain)) {
            const found = peers.some(
              ({ ipBlock }) => isIn(address, [ipBlock.cidr]) && !isIn(address, ipBlock.except ?? []),
            )
            if (found !== wanted(address, world)) throw new Error(`${address}: ${found}`)
          }
        },
      ),
      { numRuns: 300, seed: 135 },
    )
  })

t.test('GA-143 exceptions are true subsets of their network, and stand there once', async () => {
  fc.assert(
    fc.property(chosen, fc.constantFrom(...Object.keys(isAllowed)), (world, policy) => {
      for (const { ipBlock } of peersOf(world, policy)) {
        const [start = '', prefix] = ipBlock.cidr.split('/')
        const except = ipBlock.except ?? []
        if (new Set(except).size < except.length) throw new Error(`twice: ${except}`)
        for (const hole of except) {
          const [holeStart = '', holePrefix] = hole.split('/')
          const isInside = familyOf(start) === familyOf(holeStart) && isIn(holeStart, [ipBlock.cidr])
          if (!isInside || Number(holePrefix) <= Number(prefix)) throw new Error(`${hole} in ${ipBlock.cidr}`)
        }
      }
    }),
    { numRuns: 300, seed: 135 },
  )
})

t.test('GA-144 the tenth address is ten behind the first, if the network has so many', async t => {
  const tenth = (text: string) => {
    const network = parseNetwork(text)
    const found = network && addressAt(network, 10)
    return found && networkText(found)
  }
  t.equal(tenth('10.0.0.0/24'), '10.0.0.10/32')
  t.equal(tenth('10.0.0.77/24'), '10.0.0.10/32')
  t.equal(tenth('fd00::/112'), 'fd00::a/128')
  t.equal(tenth('10.0.0.0/29'), undefined)
  t.equal(tenth('255.255.255.240/28'), '255.255.255.250/32')
})

t.test('what is no network is not taken for one', async t => {
  const wrong = [
    '',
    '/',
    '10.0.0.0',
    '10.0.0/8',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '256.0.0.0/8',
    '010.0.0.0/8',
  ]
  for (const text of [...wrong, '::/129', 'fe80::1%eth0/64', '1::2::3/64', '[::]/0', 'x/1', '10.0.0.0/8 '])
    t.equal(parseNetwork(text), undefined, text)
  for (const text of ['10.0.0.0/8', '', 'kubernetes.default', '1.2.3']) t.equal(parseAddress(text), undefined, text)
})

t.test('every address is spelled as others spell it', async () => {
  fc.assert(
    fc.property(fc.oneof(...families.map(address)), text => {
      const spelled = networkText(parseAddress(text) ?? { family: 'IPv4', first: 0n, prefix: 0 })
      const canonical = isIP(text) === 6 ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text
      return spelled === `${canonical}/${isIP(text) === 6 ? 128 : 32}`
    }),
    { seed: 135 },
  )
})
