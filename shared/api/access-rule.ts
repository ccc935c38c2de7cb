// Matches resources against access rules of serverless.yml.
import type { AccessRule } from './serverless.ts'

type Resource = { readonly group: string; readonly resource: string }

export const includesOrAll = (values: readonly string[], value: string): boolean =>
  values.includes(value) || values.includes('*')

export const namesResource = ({ apiGroups, resources }: AccessRule, { group, resource }: Resource): boolean =>
  includesOrAll(apiGroups, group) && includesOrAll(resources, resource)
