// Reads the landscape of a program: from the given file, else the one it was built with, else from serverless.yml in the working
// directory.
import type { Landscape } from '../api/serverless.ts'
import { builtLandscape } from './built-landscape.ts'

/** Rejects when the file cannot be read or has faults. The code that reads and checks is loaded only when there is a file. */
export const landscapeOf = async (file: string | undefined): Promise<Landscape> => {
  if (file === undefined && builtLandscape) return builtLandscape
  const { readLandscape } = await import('../deploy/landscape/landscape.ts')
  return readLandscape(file ?? 'serverless.yml', builtLandscape && isSomewhere)
}

/** A built program cannot look for the sources of functions; a host that lacks a function that it is to serve says so. */
const isSomewhere = () => true
