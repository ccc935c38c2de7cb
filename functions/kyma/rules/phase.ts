// The plan of a pass, and which phase made it, for the report.
import type { DecidedPart } from '../../../shared/core/decisions/parts.ts'
import type { Plan } from '../../../shared/core/decisions/plan.ts'
import type { DeletionPlan } from '../parts/deletion.ts'
import type { KymaPart } from '../parts/part.ts'

export type KymaPlan = Plan & { readonly phase: Phase }

type Phase =
  | { readonly is: 'leftAlone' | 'ownership' }
  | { readonly is: 'deletion'; readonly deletion: DeletionPlan }
  | { readonly is: 'life'; readonly decided: readonly DecidedPart<KymaPart>[] }
