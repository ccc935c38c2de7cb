// The files of istio that come with the programs: below manifests/ in the project, and in the image beside the programs.
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { IstioFiles } from '../api/installation.ts'
import type { IstioOperator, IstioProfiles } from '../api/istio/operator.ts'
import { errorText } from '../core/text/error-text.ts'

const isBundle = extname(import.meta.filename) === '.mjs'

const folderOfFiles = join(import.meta.dirname, ...(isBundle ? [] : ['..', '..']), 'manifests', 'istio')

/** For a host that serves these functions; undefined where istio is none of them. Rejects as `istioProfiles` does. */
export const istioFilesFor = async (
  functions: readonly { readonly name: string }[],
): Promise<IstioFiles | undefined> => (functions.some(({ name }) => name === 'istio') ? istioFiles() : undefined)

/** Rejects as `istioProfiles` does. */
export const istioFiles = async (): Promise<IstioFiles> => ({
  profiles: await istioProfiles(),
  fallbackCharts: join(folderOfFiles, 'charts'),
})

/** Both IstioOperators. Rejects with an Error that names the file which is missing or broken. */
export const istioProfiles = async (folder = folderOfFiles): Promise<IstioProfiles> => {
  const { istioOperatorIn } = await import('../../functions/istio/desired/operator/istio-operator.ts')
  const [production, evaluation] = ['istio-operator.yaml', 'istio-operator-light.yaml'].map(name => join(folder, name))
  const read = (file = '') => named(file, () => istioOperatorIn(readFileSync(file, 'utf8')))
  const profiles = { production: read(production), evaluation: read(evaluation) }
  if (profiles.production.spec.tag !== profiles.evaluation.spec.tag)
    throw new Error(`${evaluation}: its spec.tag is another one than that of ${production}`)
  return profiles
}

const named = (file: string, read: () => IstioOperator): IstioOperator => {
  try {
    return read()
  } catch (error) {
    throw new Error(`${file}: ${errorText(error)}`, { cause: error })
  }
}
