// Adds functions to a CEL environment by their signatures.
import type { Environment } from '@marcbachmann/cel-js'

type Functions = Readonly<Record<string, (...values: never[]) => unknown>>

export const withFunctions = (environment: Environment, functions: Functions): Environment => {
  for (const [signature, handler] of Object.entries(functions)) environment.registerFunction(signature, handler)
  return environment
}
