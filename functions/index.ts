// Every function there is. A new one is one import and one entry here, and one block in serverless.yml.
import type { FunctionDefinition } from '../shared/runtime/definition.ts'
import { component } from './component/index.ts'
import { gardenAdmission } from './garden-admission/index.ts'
import { gardenCare } from './garden-care/index.ts'
import { gardenNetworkPolicy } from './garden-network-policy/index.ts'
import { gardenReference } from './garden-reference/index.ts'
import { webhookCertificate } from './webhook-certificate/index.ts'

export const functions: readonly FunctionDefinition[] = [
  component,
  gardenAdmission,
  gardenCare,
  gardenNetworkPolicy,
  gardenReference,
  webhookCertificate,
]
