// The functions that Kubernetes adds to CEL: of lists, sets, texts, regular expressions, quantities, versions, formats, URLs,
// addresses, and loops over keys and values.
import type { Environment } from '@marcbachmann/cel-js'
import { addAddresses } from './addresses.ts'
import { addEqualities } from './equal.ts'
import { addLists, addSets } from './lists.ts'
import { addLoops } from './loops.ts'
import { addNamedFormats } from './named-formats.ts'
import { addQuantities } from './quantities.ts'
import { addTexts } from './texts.ts'
import { addVersions } from './versions.ts'

const libraries = [
  addLists,
  addSets,
  addTexts,
  addQuantities,
  addVersions,
  addNamedFormats,
  addAddresses,
  addLoops,
  addEqualities,
]

export const addLibraries = (environment: Environment): Environment =>
  libraries.reduce((before, add) => add(before), environment)
