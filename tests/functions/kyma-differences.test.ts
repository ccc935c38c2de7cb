// Names that people write into dashboards and scripts: those of Kyma's functions that the Go operator lacks are in a table under
// "Differences" of a function's README, and nothing else is.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { engineName } from '../../functions/manifest/desired/module-objects.ts'
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { ownerKey } from '../../shared/component/declared/owner.ts'

const root = join(import.meta.dirname, '../..')

/** Names of the Go operator and of its agent, those of versions with a purge controller among them. */
const original = new Set(
  `
  AddFinalizerErr DeleteCertificateSetup DeleteManifests DeleteMetrics DeleteSkrKyma DeleteSkrKymaCrd DeleteSkrModuleReleaseMetaCrd
  DeleteSkrModuleTemplateCrd DeleteSkrWebhookResources DeletingMandatoryModuleManifestError DropKymaFinalizer EnsureManifestDeletion
  KymaDeletionStuck MetadataSynchronization MetricsError ModuleCRCreated PatchStatus RemoteInstallation ResourcesAvailable
  SetKcpKymaStateDeleting SetSkrKymaStateDeleting SettingMandatoryModuleTemplateFinalizerError StatusSynchronization UpdateSpecError
  UpdateStatusError WatcherFinalizerErr WatcherGatewayNotFound WatcherStatusUpdate
  CleanupError PurgeFinalizerRemovalError RemovingPurgeFinalizerFailed SettingPurgeFinalizerFailed
  lifecycle_mgr_fips_mode lifecycle_mgr_gateway_secret_server_cert_close_to_expiry lifecycle_mgr_kyma_state
  lifecycle_mgr_maintenance_window_config_read_success lifecycle_mgr_mandatory_module_state lifecycle_mgr_mandatory_modules
  lifecycle_mgr_module_state lifecycle_mgr_purgectrl_error lifecycle_mgr_purgectrl_requests_total lifecycle_mgr_purgectrl_time
  lifecycle_mgr_requeue_reason_total lifecycle_mgr_self_signed_cert_not_renew reconcile_duration_seconds
  watcher_admission_request_error_total watcher_admission_request_total watcher_failed_kcp_total watcher_fips_mode
  watcher_kcp_requests_total watcher_request_duration
  caAddedToBundleAt catalog-sync declarative.kyma-project.io/applier declarative.kyma-project.io/finalizer
  deprecated-operator.kyma-project.io/owned-by kyma-project.io/broker-plan-name kyma-project.io/global-account-id
  kyma-project.io/instance-id kyma-project.io/platform-region kyma-project.io/region kyma-project.io/runtime-id
  kyma-project.io/subaccount-id kyma-sync-context label-removal-finalizer lifecycle-manager operator.kyma-project.io/Kyma
  operator.kyma-project.io/beta operator.kyma-project.io/channel operator.kyma-project.io/controller-name operator.kyma-project.io/fqdn
  operator.kyma-project.io/internal operator.kyma-project.io/is-cluster-scoped operator.kyma-project.io/is-unmanaged
  operator.kyma-project.io/kyma-name operator.kyma-project.io/managed-by operator.kyma-project.io/managed-by-reconciler-disclaimer
  operator.kyma-project.io/mandatory-module operator.kyma-project.io/module-name operator.kyma-project.io/ocm-component-name
  operator.kyma-project.io/pod-restart-trigger operator.kyma-project.io/purge-finalizer operator.kyma-project.io/purpose
  operator.kyma-project.io/skip-reconciliation operator.kyma-project.io/sync operator.kyma-project.io/watched-by
  operator.kyma-project.io/watcher resource.kyma-project.io/finalizer skr-domain sync-oci-ref
`.split(/\s+/),
)

const functions = {
  kyma: [],
  'mandatory-modules-install': [],
  'mandatory-modules-delete': [],
  manifest: [],
  purge: [],
  watcher: [],
  'gateway-certificate': [],
  'runtime-certificate': [],
  'runtime-events': [],
  'runtime-watcher': ['shared/agent'],
}

/** Metrics, and reasons of Events and conditions: what is no reason in these lines are types of conditions. */
const namesIn = (folders: readonly string[]): string[] => {
  const files = folders.flatMap(folder => globSync(`${folder}/**/*.ts`, { cwd: root }))
  const lines = files.flatMap(file => {
    const text = readFileSync(join(root, file), 'utf8')
    return text.split('\n').filter(line => file.endsWith('reasons.ts') || /reason|_/.test(line))
  })
  const names = lines.flatMap(line =>
    [...line.matchAll(/'([A-Z][a-z]+(?:[A-Z][A-Za-z]+)+|(?:lifecycle_mgr|watcher|reconcile)_[a-z_]+)'/g)].map(
      ([, name = '']) => name,
    ),
  )
  return [...new Set(names)].filter(name => !isNoReason.has(name))
}

/** Conditions have one reason here: these are their types, and kinds. */
const isNoReason = new Set(['ModuleCatalog', 'ModuleCR', 'VirtualService', 'CRDsSync'])

/** The first cells of the table below "Differences". */
const tableOf = (name: string): string[] => {
  const text = readFileSync(join(root, 'functions', name, 'README.md'), 'utf8')
  const [, section = ''] = text.split('## Differences from the Go operator\n')
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter(line => line.startsWith('| '))
  return rows.flatMap(row => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, one = '']) => one))
}

const ofObjects = [
  ...[kymaNames.labels, kymaNames.annotations, kymaNames.finalizers, kymaNames.fieldManagers].flatMap(names =>
    Object.values<string>(names),
  ),
  ownerKey(engineName),
]

t.test('KY-329 names that the Go operator lacks are in the tables of differences, and nothing else is', t => {
  const shared = ofObjects.filter(name => !original.has(name))
  const listed = new Set<string>()
  for (const [name, more] of Object.entries(functions)) {
    const own = namesIn([`functions/${name}`, ...more]).filter(one => !original.has(one))
    const table = tableOf(name)
    for (const one of table) listed.add(one)
    t.strictSame(
      table.filter(one => !shared.includes(one)).toSorted(),
      own.toSorted(),
      `functions/${name}/README.md lists its reasons and metrics`,
    )
  }
  t.strictSame(
    shared.filter(one => !listed.has(one)),
    [],
    'a README lists each label, annotation, finalizer and field manager',
  )
  t.ok(namesIn(['functions/kyma']).length > 15, 'names are found')
  t.end()
})
