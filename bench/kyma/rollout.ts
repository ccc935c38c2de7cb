// A new version of one module: how long until every Manifest of the module has it, and is Ready with it.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { type BareApi, barePages } from '../measure/bare-api.ts'
import { secondsOf } from '../measure/load.ts'
import { cpuSeconds } from '../measure/process.ts'
import { progress } from '../measure/report.ts'
import { polled } from './fleet.ts'
import { modules } from './objects.ts'
import { collectionOf, type Programs, type Stage } from './stage.ts'

export type Rollout = {
  readonly manifests: number
  /** Until each Manifest has the version in its spec. */
  readonly secondsToHave: number
  readonly secondsToReady: number
  /** Until all are Ready. */
  readonly cpuSeconds: Readonly<Record<'host' | 'relay', number>>
}

const version = '1.2.4'

export const rollout = async (stage: Stage, programs: Programs): Promise<Rollout> => {
  const { host, relay } = programs
  const { api } = stage.plane
  const [module = ''] = modules
  const [template, { spec }] = stage.released(module, version)
  const computed = () => ({ host: cpuSeconds(host.pid), relay: cpuSeconds(relay.pid) })
  const before = computed()
  const began = performance.now()
  let manifests = 0
  let secondsToHave = Number.NaN
  const secondsToReady = await secondsOf(async () => {
    await api.call('POST', collectionOf('moduletemplates'), { body: template })
    const meta = `${collectionOf('modulereleasemetas')}/${module}`
    await api.call('PATCH', meta, { body: { spec }, contentType: 'application/merge-patch+json' })
    await polled(async () => {
      const { all, having, ready } = await statesOf(api, module)
      progress(`${having} of ${all} Manifests have the new version, ${ready} are Ready with it`)
      manifests = all
      if (having === all && Number.isNaN(secondsToHave)) secondsToHave = (performance.now() - began) / 1000
      return ready === all
    })
  })
  const after = computed()
  return {
    manifests,
    secondsToHave,
    secondsToReady,
    cpuSeconds: { host: after.host - before.host, relay: after.relay - before.relay },
  }
}

type Manifest = {
  readonly metadata: { readonly generation: number }
  readonly spec: { readonly version?: string }
  readonly status?: { readonly state?: string; readonly conditions?: readonly Condition[] }
}
type Condition = { readonly observedGeneration?: number }

/** Before the first call for the new version, the status still describes the old version. */
const isReady = ({ metadata, status }: Manifest): boolean =>
  status?.state === 'Ready' &&
  (status.conditions ?? []).some(({ observedGeneration }) => observedGeneration === metadata.generation)

const statesOf = async (api: BareApi, module: string) => {
  const states = { all: 0, having: 0, ready: 0 }
  const selector = `labelSelector=${kymaNames.labels.moduleName}=${module}`
  for await (const { items } of barePages(api, collectionOf('manifests'), { selector }))
    for (const manifest of items as Manifest[]) {
      const has = manifest.spec.version === version
      states.all++
      if (has) states.having++
      if (has && isReady(manifest)) states.ready++
    }
  return states
}
