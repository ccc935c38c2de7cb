// The functions for `espalier plan`, and the same process context as in a host, but with the rights of the user's kubeconfig.
import { loadFunctions } from '../../../functions/index.ts'
import type { Outcome } from '../../core/decisions/outcome.ts'
import type { GroupVersionKind, Key, KubeObject } from '../../core/objects/object.ts'
import { hostContext } from '../../http/host-context.ts'
import { artifactsOf, hostSettings, renderersOf } from '../../http/settings/host-settings.ts'
import type { Client } from '../../kube/client-types.ts'
import type { CallContext } from '../../runtime/context.ts'
import type { ReconcileFunction } from '../../runtime/definition.ts'
import { type PlannedCall, type PlanSubject, planned } from '../../runtime/planned.ts'
import { reconcile } from '../../runtime/reconcile.ts'
import { builtLandscape } from '../built-landscape.ts'
import { functionSettingsHere } from '../function-settings.ts'
import { ownFolder } from '../landscape.ts'
import { servedFunctions } from '../own/own-functions.ts'
import { rendererProgram } from '../program.ts'
import type { Given } from './command.ts'
import { readingProcess, settingsHere } from './reading-process.ts'

export type PlanningProcess = {
  readonly functions: readonly ReconcileFunction[]
  plan(definition: ReconcileFunction, subject: PlanSubject): Promise<PlannedCall>
  /** A call as a host makes it, with the rights of the kubeconfig. */
  call(definition: ReconcileFunction, key: Key): Promise<Outcome>
  readonly local: Client
  /** '' for a cluster-scoped kind. */
  namespaceOf(kind: GroupVersionKind): Promise<string>
  inNamespace(object: KubeObject): Promise<KubeObject>
  end(): Promise<void>
}

const callSeconds = 60

export const planningProcess = async (options: Given['options']): Promise<PlanningProcess> => {
  const settings = settingsHere(hostSettings)
  const reading = await readingProcess(options)
  const folder = builtLandscape && ownFolder(undefined)
  const all =
    folder === undefined
      ? await loadFunctions()
      : await servedFunctions(Object.keys(reading.landscape.functions), reading.landscape, folder)
  const renderer = renderersOf(settings, rendererProgram)
  const settingsOf = await functionSettingsHere(all, reading.landscape)
  const context = hostContext(reading.landscape, {
    clusters: reading.clusters,
    artifacts: artifactsOf(settings),
    renderer,
    settingsOf,
  })
  const begun = (): CallContext => ({ ...context, ...timesFromNow(), now: () => new Date(), log: silent })
  return {
    functions: all.filter(one => one.does === 'reconcile'),
    plan: (definition, subject) => planned(definition, subject, begun()),
    call: (definition, key) => reconcile(definition, key, begun()),
    local: reading.local,
    namespaceOf: reading.namespaceOf,
    inNamespace: async object => {
      const namespace = await reading.namespaceOf(object)
      return namespace === '' ? object : { ...object, metadata: { namespace, ...object.metadata } }
    },
    end: async () => {
      renderer.stop()
      await reading.end()
    },
  }
}

const timesFromNow = (): Pick<CallContext, 'lastPassAt' | 'lastRequestAt' | 'signal'> => {
  const end = performance.now() + callSeconds * 1_000
  return { lastPassAt: end, lastRequestAt: end, signal: AbortSignal.timeout(callSeconds * 1_000) }
}

const silent: CallContext['log'] = { debug() {}, info() {}, warn() {}, error() {} }
