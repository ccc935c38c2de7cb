// Creates the process context of a host from its arguments and serverless.yml.
import type { Landscape } from '../api/serverless.ts'
import { type ProcessContext, processContext } from '../runtime/context.ts'

type GivenToHost = Pick<ProcessContext, 'clusters'> &
  Partial<Pick<ProcessContext, 'settingsOf' | 'artifacts' | 'renderer'>>

export const hostContext = (landscape: Landscape, given: GivenToHost): ProcessContext =>
  processContext({
    ...given,
    home: landscape.provider.namespace,
    kubeConfigHosts: kubeConfigHostsIn(landscape),
    kubeConfigLookups: Object.entries(landscape.functions).flatMap(([name, { events }]) =>
      events.some(event => 'inventory' in event && event.inventory.kubeConfigLookups) ? [name] : [],
    ),
  })

/** A function may write to these hosts, because the relay watches dependents on them. */
const kubeConfigHostsIn = ({ functions }: Landscape): ProcessContext['kubeConfigHosts'] =>
  Object.fromEntries(
    Object.entries(functions).flatMap(([name, { events }]) =>
      events.flatMap(event => {
        const hosts = 'inventory' in event ? event.inventory.kubeConfigHosts : undefined
        return hosts ? [[name, hosts] as const] : []
      }),
    ),
  )
