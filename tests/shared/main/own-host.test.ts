// By which address a relay tells others to reach it.
import type { NetworkInterfaceInfo } from 'node:os'
import t from 'tap'
import { ownHost } from '../../../shared/main/program.ts'

const common = { netmask: '', mac: '', cidr: null }
const four = (address: string, internal = false): NetworkInterfaceInfo => ({
  ...common,
  address,
  internal,
  family: 'IPv4',
})
const six = (address: string, scopeid = 0, internal = false): NetworkInterfaceInfo => ({
  ...common,
  address,
  internal,
  family: 'IPv6' as const,
  scopeid,
})

t.test('FN-38 relays reach each other by IPv4 where there is one, else by IPv6', async t => {
  const lo = [four('127.0.0.1', true), six('::1', 0, true)]
  const link = six('fe80::1', 2)
  t.equal(ownHost({ lo, eth0: [link, six('fd00::7'), four('10.0.0.7')] }), '10.0.0.7')
  t.equal(ownHost({ lo, eth0: [link, six('fd00::7')] }), '[fd00::7]')
  t.equal(ownHost({ lo, eth0: [link] }), '127.0.0.1', 'alone on its machine')
})
