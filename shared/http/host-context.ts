// The process context of a host: what its landscape says of the process, beside what the host is given.
import type { Landscape } from '../api/serverless.ts'
import { type ProcessContext, processContext } from '../runtime/context.ts'

type GivenToHost = Pick<ProcessContext, 'clusters'> &
  Partial<Pick<ProcessContext, 'installation' | 'artifacts' | 'renderer'>>

export const hostContext = (landscape: Landscape, given: GivenToHost): ProcessContext =>
  processContext({ ...given, home: landscape.provider.namespace, kubeConfigHosts: kubeConfigHostsIn(landscape) })

/** The relay watches the dependents of a function's components in these hosts, so the function may write to them. */
const kubeConfigHostsIn = ({ functions }: Landscape): ProcessContext['kubeConfigHosts'] =>
  Object.fromEntries(
    Object.entries(functions).flatMap(([name, { events }]) =>
      events.flatMap(event => {
        const hosts = 'inventory' in event ? event.inventory.kubeConfigHosts : undefined
        return hosts ? [[name, hosts] as const] : []
      }),
    ),
  )
