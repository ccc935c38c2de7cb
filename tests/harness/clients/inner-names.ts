// Names that lead to this machine although they do not look so.
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import type { Test } from 'tap'
import type { Resolve } from '../../../shared/kube/kubeconfigs/host-lookups.ts'

/** As name servers of somebody else's could answer. */
export const resolvesToLoopback = (t: Test, host: string): void => {
  const { lookup } = dns
  const answered: Resolve = (name, options, callback) =>
    name === host ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : lookup(name, options, callback)
  Object.assign(dns, { lookup: answered })
  syncBuiltinESMExports()
  t.teardown(() => {
    Object.assign(dns, { lookup })
    syncBuiltinESMExports()
  })
}
