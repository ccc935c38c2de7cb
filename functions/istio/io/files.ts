// The files of istio that come with the programs: below manifests/ in the project, and in the image beside the programs.
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { IstioOperator, IstioProfiles } from '../../../shared/api/istio/operator.ts'
import { errorText } from '../../../shared/core/text/error-text.ts'
import { istioOperatorIn } from '../desired/istio-operator.ts'
import type { IstioFiles } from '../settings.ts'

const isBundle = extname(import.meta.filename) === '.mjs'

const folderOfFiles = join(import.meta.dirname, ...(isBundle ? [] : ['..', '..', '..']), 'manifests', 'istio')

/** Throws as `istioProfiles` does. */
export const istioFiles = (): IstioFiles => ({
  profiles: istioProfiles(),
  fallbackCharts: join(folderOfFiles, 'charts'),
})

/** Both IstioOperators. Throws an Error that names the file which is missing or broken. */
export const istioProfiles = (folder = folderOfFiles): IstioProfiles => {
  const [production, evaluation] = ['istio-operator.yaml', 'istio-operator-light.yaml'].map(name => join(folder, name))
  const read = (file = '') => named(file, () => istioOperatorIn(readFileSync(file, 'utf8')))
  const profiles = { production: read(production), evaluation: read(evaluation) }
  if (profiles.production.spec.tag !== profiles.evaluation.spec.tag)
    throw new Error(`${evaluation}: its spec.tag differs from that of ${production}`)
  return profiles
}

const named = (file: string, read: () => IstioOperator): IstioOperator => {
  try {
    return read()
  } catch (error) {
    throw new Error(`${file}: ${errorText(error)}`, { cause: error })
  }
}
