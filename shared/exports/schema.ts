// `import … from 'espalier/schema'`: a kind, described once for the compiler and for the API server.
//
//   const spec = object({ host: text }, { replicas: defaulted(int32, 1) })
//   export type Website = KubeObject & { spec: Typed<typeof spec> }
//   export const definition = customResourceDefinition({ kind: 'Website', spec, … })
export {
  ageColumn,
  type Column,
  type CustomResourceDefinition,
  conditionColumn,
  customResourceDefinition,
} from '../api/custom-resource.ts'
export * from '../api/schema.ts'
