// Istios and what istio knows of them, well unless a test says otherwise.
import { decide, type IstioPlan } from '../../../functions/istio/decide.ts'
import { istioFiles } from '../../../functions/istio/io/files.ts'
import { factsNeeded, type RunWorld, runBegins, withNextStage } from '../../../functions/istio/parts/all-parts.ts'
import { report } from '../../../functions/istio/report.ts'
import { istioRefusal } from '../../../functions/istio/rules/checks.ts'
import type { NamedRestarts, Noted } from '../../../functions/istio/rules/restarts/restart-notes.ts'
import { type IstioSettings, istioSettings } from '../../../functions/istio/settings.ts'
import type { Facts, InstallationFacts, Istio, World } from '../../../functions/istio/world.ts'
import { istioNames } from '../../../shared/api/istio/names.ts'
import { istioKind } from '../../../shared/api/istio.ts'
import { nothingObserved } from '../../../shared/component/world.ts'
import type { StepResult } from '../../../shared/core/decisions/plan.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { defaultValues } from '../../../shared/core/settings/setting.ts'
import { question } from '../component/dependents.ts'
import type { Change } from '../garden/garden.ts'
import { cluster } from './istio-operator.ts'

/** What istio is told where nobody chose anything. */
export const istioInstallation: IstioSettings = { ...defaultValues(istioSettings), ...istioFiles() }

export const istioNow = new Date('2026-01-02T03:04:05Z')

/** In kyma-system, ours, and with an empty spec. */
export const istio = (change: Change<Istio> = {}): Istio =>
  mergePatched(
    {
      ...istioKind,
      metadata: {
        name: 'default',
        namespace: istioNames.namespaces.control,
        uid: 'uid-default',
        generation: 1,
        creationTimestamp: '2026-01-01T00:00:00Z',
        finalizers: [istioNames.finalizer],
      },
      spec: {},
    },
    change as KubeObject,
  ) as Istio

/** A Pod of one container, or with what is given of a Pod besides. */
export const meshPod = (name: string, containers: Record<string, string>, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: istioNames.namespaces.mesh, ...metadata },
  spec: { containers: Object.entries(containers).map(([name, image]) => ({ name, image })) },
})

export const image = (name: string, tag = '1.30.2-distroless'): string =>
  `europe-docker.pkg.dev/kyma-project/prod/external/istio/${name}:${tag}`

/** Deployment istiod as it runs in a version. */
export const istiod = (tag?: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'istiod', namespace: 'istio-system' },
  spec: { template: meshPod('istiod', { discovery: image('pilot', tag) }) },
})

/** Long ago. */
export const noted: Noted = {
  is: 'noted',
  note: { target: 'sidecars', digest: 'a', since: '1970-01-01T00:00:00Z' },
  since: 0,
}

const nothingToRestart: NamedRestarts = { noted, due: [] }

export const allInstalled: Extract<InstallationFacts, { is: 'possible' }> = {
  is: 'possible',
  cluster: cluster(),
  source: 'fallback',
  dependents: { ...question(), observed: nothingObserved },
}

/** Of a mesh that is as it should be. */
export const wellFacts: Required<Facts> = {
  ownership: { istiod: istiod() },
  installation: allInstalled,
  podVersions: { pods: [meshPod('istiod-1', { discovery: image('pilot') })] },
  resources: { rows: [], live: new Map(), isVpaServed: false, apiPort: 443 },
  envoyFilters: { forIngress: { read: [] } },
  blocking: { resources: { read: { first: [], count: 0 } } },
  removal: { dependents: { read: { ...question(), goal: 'delete', observed: nothingObserved } } },
  leftovers: { resources: { read: [] } },
  formerSidecars: { survey: { read: { due: [], isCutShort: false } } },
  ingressGateway: nothingToRestart,
  controlPlane: nothingToRestart,
  istiodLabels: { found: [] },
  sidecars: {
    is: 'surveyed',
    hasActed: false,
    survey: { read: { due: [], stuck: [], isSettling: false, isCutShort: false } },
  },
}

export const istioWorld = (given: Partial<Omit<World, 'facts'>> & { facts?: Facts } = {}): RunWorld => {
  const { istio: one = istio(), facts = {} } = given
  const alone = { read: [one] }
  return withRun({
    istios: alone,
    keptIn: 'status',
    settings: istioInstallation,
    ...given,
    istio: one,
    facts: { ...wellFacts, ...facts },
  })
}

/** Its parts ran as they do while their facts are read. */
export const withRun = (world: World, now = istioNow): RunWorld => {
  let run = runBegins(world.istio)
  if (istioRefusal(world)) return { ...world, run }
  while (factsNeeded(run).length > 0) run = withNextStage(run, world, now)
  return { ...world, run }
}

type Told = { readonly plan: IstioPlan } & ReturnType<typeof report>

/** What one pass decides and says; its steps all succeed unless results are given for them. */
export const told = (world: RunWorld, tried?: (plan: IstioPlan) => readonly StepResult[]): Told => {
  const plan = decide(world)
  const results = tried?.(plan) ?? plan.steps.map(step => ({ step, changed: true }))
  return { plan, ...report(world, plan, results, istioNow) }
}
