// Reads the landscape of a program: from the given file, else the one it was built with, else from serverless.yml in the working
// directory.
import type { Landscape, ProviderSettings } from '../api/serverless.ts'
import { builtLandscape } from './built-landscape.ts'

/** Rejects when the file cannot be read or has faults. The code that reads and checks is loaded only when there is a file. */
export const landscapeOf = async (file: string | undefined): Promise<Landscape> => {
  if (file === undefined && builtLandscape) return builtLandscape
  const { readLandscape } = await import('../deploy/landscape/landscape.ts')
  return readLandscape(file ?? 'serverless.yml', builtLandscape && isSomewhere)
}

/** A built program cannot look for the sources of functions; a host that lacks a function that it is to serve says so. */
const isSomewhere = () => true

/** Kubeconfigs of components and runtimes may lead to this host too: loopback is refused unless it is named. */
export const leadingTo = (host: string, { functions, provider, ...rest }: Landscape): Landscape => ({
  ...rest,
  provider: { ...provider, remotes: remotesLeadingTo(host, provider.remotes) },
  functions: Object.fromEntries(
    Object.entries(functions).map(([name, { events, ...settings }]) => {
      const widened = events.map(event => {
        if (!('inventory' in event) || !event.inventory.kubeConfigHosts) return event
        return { inventory: { ...event.inventory, kubeConfigHosts: [...event.inventory.kubeConfigHosts, host] } }
      })
      return [name, { ...settings, events: widened }]
    }),
  ),
})

const remotesLeadingTo = (host: string, remotes: ProviderSettings['remotes'] = {}): ProviderSettings['remotes'] =>
  Object.fromEntries(
    Object.entries(remotes).map(([name, group]) => [name, { ...group, allowedHosts: [...group.allowedHosts, host] }]),
  )

/** Every function of the landscape, or those that were asked for. */
export const chosenFunctions = (names: readonly string[], known: readonly string[]): readonly string[] => {
  const unknown = names.filter(name => !known.includes(name))
  if (unknown.length > 0) throw new Error(`--functions: unknown ${unknown.join(', ')}; there are ${known.join(', ')}`)
  return names.length > 0 ? names : known
}

/** The part that `npm start` has: these functions and the one without which no webhook can be called, and the remotes that they read. */
export const servedOf = ({ functions, provider, ...rest }: Landscape, names: readonly string[]): Landscape => {
  const chosen = [...chosenFunctions(names, Object.keys(functions)), 'webhook-certificate']
  const served = Object.entries(functions).filter(([name]) => chosen.includes(name))
  const read = new Set(served.flatMap(([, { access }]) => access.flatMap(({ namespaces = [] }) => namespaces)))
  const remotes = Object.entries(provider.remotes ?? {}).filter(([, { namespace }]) => read.has(namespace))
  return {
    ...rest,
    provider: { ...provider, remotes: Object.fromEntries(remotes) },
    functions: Object.fromEntries(served),
  }
}
