// Host names that lead to this machine without showing it.
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import type { Test } from 'tap'
import type { Resolve } from '../../../shared/kube/kubeconfigs/allowed-hosts.ts'

/** Answers like a hostile name server: this host is at 127.0.0.1. */
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
