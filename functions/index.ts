// Every function there is, each loaded where it is served: a host of one holds nothing of the others in memory. A new one
// is one line here and one block in serverless.yml.
import type { FunctionDefinition } from '../shared/runtime/definition.ts'

const functions: Readonly<Record<string, () => Promise<FunctionDefinition>>> = {
  component: async () => (await import('./component/index.ts')).componentFunction,
  'garden-admission': async () => (await import('./garden-admission/index.ts')).gardenAdmission,
  'garden-care': async () => (await import('./garden-care/index.ts')).gardenCare,
  'garden-network-policy': async () => (await import('./garden-network-policy/index.ts')).gardenNetworkPolicy,
  'garden-reference': async () => (await import('./garden-reference/index.ts')).gardenReference,
  'webhook-certificate': async () => (await import('./webhook-certificate/index.ts')).webhookCertificate,
}

export const functionNames: readonly string[] = Object.keys(functions)

/** Those of these names, in their order. Throws for one that is not listed here. */
export const loadFunctions = (names = functionNames): Promise<readonly FunctionDefinition[]> =>
  Promise.all(
    names.map(name => {
      const load = functions[name]
      if (!load) throw new Error(`functions/index.ts does not list ${name}`)
      return load()
    }),
  )
