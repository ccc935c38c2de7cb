// The landscape a program works for: that of a file, else the one it was built with, else that of serverless.yml in the
// folder it was started in.
import type { Landscape } from '../api/serverless.ts'
import { builtLandscape } from './built-landscape.ts'

/** Rejects when the file cannot be read or has faults. Reading and checking are loaded only where there is a file. */
export const landscapeOf = async (file: string | undefined): Promise<Landscape> => {
  if (file === undefined && builtLandscape) return builtLandscape
  const { readLandscape } = await import('../deploy/landscape/landscape.ts')
  return readLandscape(file ?? 'serverless.yml', builtLandscape && isSomewhere)
}

/** A built program has no sources to look for: a host that lacks what it is to serve says so, and others may have it. */
const isSomewhere = () => true
