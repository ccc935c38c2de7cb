// The functions of a host: functions in the folder of the user's landscape, and functions of the program.
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { functionNames, functionSettings, loadFunction } from '../../../functions/index.ts'
import type { Landscape } from '../../api/serverless.ts'
import { isMap } from '../../core/json/json.ts'
import { errorText } from '../../core/text/error-text.ts'
import type { FunctionDefinition } from '../../runtime/definition.ts'

/** The functions that the landscape does not include. */
export const ownNames = ({ functions, include = [] }: Landscape): string[] =>
  Object.keys(functions).filter(name => !include.includes(name))

/** A function with its settings. Functions of the program are loaded on demand. */
type FoundFunction = Pick<FunctionDefinition, 'name' | 'settings'> & { load(): Promise<FunctionDefinition> }

/** The functions in the order of the names. `folder` is undefined if all belong to the program. Rejects with a sentence for users. */
export const foundFunctions = (
  names: readonly string[],
  { functions }: Landscape,
  folder: string | undefined,
): Promise<readonly FoundFunction[]> =>
  Promise.all(names.map(async name => found(name, functions[name]?.handler.split('.').at(-1) ?? '', folder)))

/** Like foundFunctions, but loads the functions. */
export const servedFunctions = async (
  ...wanted: Parameters<typeof foundFunctions>
): Promise<readonly FunctionDefinition[]> => Promise.all((await foundFunctions(...wanted)).map(({ load }) => load()))

const found = async (name: string, exported: string, folder: string | undefined): Promise<FoundFunction> => {
  const [file, built] = ['index.ts', 'index.mjs'].map(module => folder && join(folder, 'functions', name, module))
  const own = [file, built].find(one => one && existsSync(one))
  if (own) {
    const definition = await ownFunction({ file: own, name, exported })
    return { name, ...(definition.settings && { settings: definition.settings }), load: async () => definition }
  }
  if (file && !functionNames.includes(name))
    throw new Error(
      `there is no function ${name}: ${relative('', file)} does not exist, and Espalier has no function of this name`,
    )
  if (!functionNames.includes(name)) throw new Error(`there is no function ${name}`)
  const settings = functionSettings[name]
  return { name, ...(settings && { settings }), load: () => loadFunction(name) }
}

type Place = { readonly file: string; readonly name: string; readonly exported: string }

const ownFunction = async ({ file, name, exported }: Place): Promise<FunctionDefinition> => {
  const place = relative('', file)
  const definition = (await loadedModule(file))[exported]
  if (!isDefinition(definition))
    throw new Error(
      `${place}: the export ${exported} is not a function of Espalier; expected component({ … }), or an object with does: 'reconcile' or 'review'`,
    )
  if (definition.name === name) return definition
  throw new Error(`${place}: the function is called ${definition.name}; expected ${name}, as its folder`)
}

/** A TypeScript module in a user's folder. Rejects with an Error that names its file. */
export const loadedModule = async (file: string): Promise<Readonly<Record<string, unknown>>> => {
  try {
    return await import(pathToFileURL(file).href)
  } catch (error) {
    throw new Error(`${relative('', file)} cannot be loaded: ${errorText(error)}`, { cause: error })
  }
}

const isDefinition = (value: unknown): value is FunctionDefinition =>
  isMap(value) && typeof value.name === 'string' && ['reconcile', 'review', 'receive'].includes(String(value.does))
