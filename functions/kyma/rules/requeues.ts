// The reasons of Kyma's next calls, with the names that the Go operator uses.
import type { StepResult } from '../../../shared/core/decisions/plan.ts'
import { stepFaults } from '../../../shared/core/decisions/steps.ts'
import type { Requeue } from '../../../shared/kyma/next-call.ts'
import type { KymaPlan } from '../decide.ts'
import type { World } from '../world.ts'

/** By part of a Kyma, or by step of its deletion. The Go operator has no reason for other parts and steps. */
const reasons: Readonly<Record<string, string>> = {
  modules: 'manifest_reconciliation',
  'module-catalogue': 'module_catalog_sync',
  'runtime-crds': 'crds_sync',
  'kyma-copy': 'spec_replacement_from_remote',
  'runtime-agent': 'skr_webhook_installation',
  'pull-secret': 'image_pull_secret_sync',
  SetSkrKymaStateDeleting: 'status_sync_to_remote',
  DeleteManifests: 'manifest_crs_cleanup',
  EnsureManifestDeletion: 'manifest_crs_cleanup',
  DeleteSkrModuleTemplateCrd: 'remote_module_catalog_deletion',
  DeleteSkrModuleReleaseMetaCrd: 'remote_module_catalog_deletion',
  DeleteSkrKyma: 'remote_kyma_deletion',
}

/** The copy's status is written after the Kyma's status. */
export const statusNotCopied: Requeue = { reason: 'status_sync_to_remote', type: 'unexpected' }

const typeOf = (results: readonly StepResult[]): Requeue['type'] =>
  stepFaults(results).length > 0 ? 'unexpected' : 'intended'

export const requeues = (world: World, { phase }: KymaPlan, results: readonly StepResult[]): readonly Requeue[] => {
  const { kyma, runtime } = world
  const named = (name: string, steps: readonly unknown[]): Requeue[] => {
    const own = results.filter(({ step }) => steps.includes(step))
    const reason = reasons[name]
    return reason && own.length > 0 ? [{ reason, type: typeOf(own) }] : []
  }
  if (phase.is === 'ownership') return [{ reason: 'labels_and_finalizers_update', type: typeOf(results) }]
  if (phase.is === 'deletion') {
    const begins = ['kyma_status_update_to_deleting', 'kyma_deletion']
    if (kyma.status?.state !== 'Deleting') return begins.map(reason => ({ reason, type: 'intended' }))
    return phase.deletion.rows.flatMap(row => named(row.name, row.steps))
  }
  if (phase.is !== 'life') return []
  const unreached: Requeue = { reason: 'sync_context_retrieval', type: 'unexpected' }
  const first: Requeue = { reason: 'initial_state_handling', type: 'intended' }
  return [
    ...('fault' in runtime ? [unreached] : []),
    ...(kyma.status?.state ? [] : [first]),
    ...phase.decided.flatMap(({ part, steps }) => named(part.name, steps)).filter(({ type }) => type === 'unexpected'),
  ]
}
