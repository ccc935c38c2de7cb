// Makes the process context of a host from what the host is given and from what serverless.yml says of the process.
import type { Landscape } from '../api/serverless.ts'
import { type ProcessContext, processContext } from '../runtime/context.ts'

type GivenToHost = Pick<ProcessContext, 'clusters'> &
  Partial<Pick<ProcessContext, 'installation' | 'artifacts' | 'renderer'>>

export const hostContext = (landscape: Landscape, given: GivenToHost): ProcessContext =>
  processContext({
    ...given,
    home: landscape.provider.namespace,
    kubeConfigHosts: kubeConfigHostsIn(landscape),
    kubeConfigLookups: Object.entries(landscape.functions).flatMap(([name, { events }]) =>
      events.some(event => 'inventory' in event && event.inventory.kubeConfigLookups) ? [name] : [],
    ),
  })

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
