// Every function there is. A new one is one import and one entry here, and one block in serverless.yml.
import type { FunctionDefinition } from '../shared/runtime/definition.ts'

export const functions: readonly FunctionDefinition[] = []
