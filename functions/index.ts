// Every function there is. A new one is one import and one entry here, and one block in serverless.yml.
import type { FunctionDefinition } from '../shared/runtime/definition.ts'
import { gardenReference } from './garden-reference/index.ts'
import { webhookCertificate } from './webhook-certificate/index.ts'

export const functions: readonly FunctionDefinition[] = [gardenReference, webhookCertificate]
