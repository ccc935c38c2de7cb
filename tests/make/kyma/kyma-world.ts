// What kyma knows and does in one pass, without a cluster: its steps are taken to succeed as an API server would answer them.
import { decide } from '../../../functions/kyma/decide.ts'
import { report } from '../../../functions/kyma/report.ts'
import { type KymaSettings, kymaSettings } from '../../../functions/kyma/settings.ts'
import type { World } from '../../../functions/kyma/world.ts'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { Report, Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import { subjectOf } from '../../../shared/core/decisions/steps.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import { isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import { defaultValues } from '../../../shared/core/settings/setting.ts'
import type { Kyma, Manifest, ModuleEntry } from '../../../shared/kyma/kinds.ts'
import { kyma } from './kyma.ts'

export const noon = new Date('2026-11-23T12:00:00Z')

/** A Kyma that is ours already, and installs into its own cluster. */
export const ownKyma = (change: Parameters<typeof kyma>[0] = {}): Kyma =>
  mergePatched(
    kyma({
      metadata: { uid: 'kyma-uid', generation: 1, finalizers: [kymaNames.finalizers.kyma] },
      spec: { remote: { enabled: false } },
    }),
    change,
  ) as Kyma

export const listing = (...modules: readonly ModuleEntry[]): Kyma => ownKyma({ spec: { modules: [...modules] } })

type Given = Partial<Omit<World, 'settings' | 'catalogue'>> &
  Partial<World['catalogue']> & { readonly settings?: Partial<KymaSettings> }

export const kymaWorld = ({ templates = [], metas = [], settings, ...given }: Given): World => {
  const { kyma = ownKyma() } = given
  return {
    kyma,
    manifests: [],
    pulled: new Map(),
    releasedAt: new Map(),
    windows: { failed: 'not read' },
    runtime: { is: 'off' },
    source: { crds: [] },
    certificates: [],
    signatureSecrets: new Map(),
    layerDigests: new Map(),
    wanted: isDeleting(kyma) ? { ...kyma.spec, modules: [] } : kyma.spec,
    settings: { ...defaultValues(kymaSettings), registry: 'registry.example/modules', ...settings },
    catalogue: { templates, metas },
    ...given,
  }
}

type Course = { now?: Date; failing?: (step: Step) => string | undefined; isOvertaken?: boolean }

/** `failing`: why a step fails, if it does; `isOvertaken`: it fails because somebody was faster. */
export const passOf = (world: World, { now = noon, failing, isOvertaken = false }: Course = {}) => {
  const plan = decide(world, now)
  const results = plan.steps.map(step => resultOf(step, failing?.(step), isOvertaken))
  const told = report(world, plan, results, now)
  return {
    steps: plan.steps,
    results,
    next: told.next ?? plan.next,
    events: [...(told.events ?? plan.events), ...followingEvents(told)],
    status: told.status,
    measured: told.measured ?? [],
  }
}

const followingEvents = ({ afterwards }: Report) => afterwards?.report?.([]).events ?? []

/** Passes until nothing is written any more, with what they leave. */
export const settledWorld = (world: World): World => {
  for (let before = world, count = 0; count < 10; count++) {
    const after = nextWorld(before)
    if (passOf(before).steps.length === 0) return after
    before = after
  }
  throw new Error('ten passes, and there is still something to write')
}

/** The world as a pass leaves it. */
export const nextWorld = (world: World, now = noon): World => {
  const { results, status } = passOf(world, { now })
  const left = new Map(results.flatMap(({ object }) => (object ? [[object.metadata.uid, object]] : [])))
  const deleted = new Set(
    results.flatMap(({ step }) => (step.do === 'delete' && !held(step.target) ? step.target.metadata.uid : [])),
  )
  const kept = world.manifests.filter(({ metadata }) => !left.has(metadata.uid) && !deleted.has(metadata.uid))
  const made = [...left.values()].filter(({ kind }) => kind === 'Manifest') as Manifest[]
  const kyma = (left.get(world.kyma.metadata.uid) ?? world.kyma) as Kyma
  return { ...world, manifests: [...kept, ...made], kyma: mergePatched(kyma, { status }) as Kyma }
}

const held = ({ metadata }: KubeObject): boolean => (metadata.finalizers ?? []).length > 0

const resultOf = (step: Step, failure: string | undefined, isConflict: boolean): StepResult => {
  const { apiVersion, kind, metadata } = subjectOf(step)
  if (failure !== undefined) {
    const ref = { apiVersion, kind, namespace: metadata.namespace ?? '', name: metadata.name }
    return { step, changed: false, error: { message: failure, isConflict, isRetriable: true, ref } }
  }
  return { step, changed: true, ...objectAfter(step) }
}

const objectAfter = (step: Step): { object?: KubeObject } => {
  if (step.do === 'create') {
    const { object } = step
    return {
      object: { ...object, metadata: { ...object.metadata, uid: `uid of ${object.metadata.name}`, generation: 1 } },
    }
  }
  if (step.do !== 'patch') return {}
  const { target, merge } = step
  const generation = (target.metadata.generation ?? 1) + ('spec' in merge ? 1 : 0)
  return { object: mergePatched(mergePatched(target, merge), { metadata: { generation } }) as KubeObject }
}

/** The world once somebody changed the Manifest of this name. */
export const changedManifest = (world: World, name: string, change: object): World => ({
  ...world,
  manifests: world.manifests.map(manifest =>
    manifest.metadata.name === name ? (mergePatched(manifest, change) as Manifest) : manifest,
  ),
})
