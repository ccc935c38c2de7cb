// Reads the landscape of a program: from the given file, otherwise from our serverless.yml in the working directory. Without both, uses the
// landscape that was built into the program or is in its sources.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Landscape, ProviderSettings } from '../api/serverless.ts'
import { builtLandscape } from './built-landscape.ts'

/** Rejects if the file cannot be read or has faults. The code for reading and checking is imported only if there is a file. */
export const landscapeOf = async (file: string | undefined): Promise<Landscape> => {
  const chosen = fileOf(file)
  if (chosen === undefined && builtOperator) return JSON.parse(readFileSync(builtOperator, 'utf8'))
  if (chosen === undefined && builtLandscape) return builtLandscape
  return readAt(chosen ?? ownServerless, builtLandscape && (() => true))
}

/** The landscape of a user's operator, which `espalier build` writes beside its programs. */
export const builtOperatorFile = 'operator.json'

const besideProgram = join(import.meta.dirname, builtOperatorFile)
const builtOperator = builtLandscape && existsSync(besideProgram) ? besideProgram : undefined

/** The folder of the landscape with the user's functions. undefined: all functions belong to this program. */
export const ownFolder = (file: string | undefined): string | undefined => {
  if (builtOperator) return dirname(builtOperator)
  const chosen = fileOf(file)
  const folder = chosen && dirname(resolve(chosen))
  return folder === projectFolder ? undefined : folder
}

/** The folder of the sources of this program. undefined for a built program. */
const projectFolder = builtLandscape ? undefined : join(import.meta.dirname, '..', '..')
const ownServerless = join(projectFolder ?? '', 'serverless.yml')

/** Ignores a serverless.yml of another framework. */
const fileOf = (file: string | undefined): string | undefined =>
  file ?? (existsSync('serverless.yml') && isOurs('serverless.yml') ? 'serverless.yml' : undefined)

const isOurs = (file: string): boolean => /^ {2}name: espalier$/m.test(readFileSync(file, 'utf8'))

/** The landscape in a user's folder. Rejects with a sentence for users. */
export const landscapeIn = async (folder: string): Promise<Landscape> => {
  const file = join(folder, 'serverless.yml')
  if (!existsSync(file))
    throw new Error(`there is no serverless.yml in ${folder}; create an operator with npx espalier init NAME`)
  return readAt(file)
}

/** Outside of this project, a landscape may include functions of the program. `isThere`: a built program has no sources of functions to check. */
const readAt = async (file: string, isThere?: () => boolean): Promise<Landscape> => {
  const { readLandscape } = await import('../deploy/landscape/landscape.ts')
  if (builtLandscape || ownFolder(file) === undefined) return readLandscape(file, isThere, builtLandscape)
  return readLandscape(file, isThere, readLandscape(ownServerless))
}

/** Allows kubeconfigs of components and runtimes to use this host. Loopback is refused unless it is listed. */
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

export const chosenFunctions = (names: readonly string[], known: readonly string[]): readonly string[] => {
  const unknown = names.filter(name => !known.includes(name))
  if (unknown.length > 0)
    throw new Error(`--functions: unknown ${unknown.join(', ')}; expected some of ${known.join(', ')}`)
  return names.length > 0 ? names : known
}

/**
 * The part of the landscape for `npm start`: these functions, their remotes, and webhook-certificate, because webhooks cannot be called without it.
 */
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
