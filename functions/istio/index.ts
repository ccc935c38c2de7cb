// istio: installs, upgrades and removes Istio as the Istio resource requests, and restarts workloads after changes.
import { istioNames } from '../../shared/api/istio/names.ts'
import { istioKind } from '../../shared/api/istio.ts'
import { driftMetric } from '../../shared/component/reported/dependent-events.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { decide, type IstioPlan } from './decide.ts'
import { gather, type IstioCall, istioCall, istiosConcerned, seenIstio } from './gather.ts'
import { istioFiles } from './io/files.ts'
import type { RunWorld } from './parts/all-parts.ts'
import { laterInstalled } from './parts/installation.ts'
import { report } from './report.ts'
import { restartMetrics } from './rules/restarts/restart-steps.ts'
import { type IstioSettings, istioImages, istioSettings } from './settings.ts'

export const istio: ReconcileFunction<RunWorld, IstioSettings, IstioCall, IstioPlan> = {
  does: 'reconcile',
  name: 'istio',
  kind: istioKind,
  keepsState: true,
  fieldManager: istioNames.fieldManagers.operator,
  metrics: [...restartMetrics, driftMetric],
  seen: seenIstio,
  settings: istioSettings,
  configure: values => {
    const images = istioImages(values)
    return { ...istioFiles(), ...(images && { images }) }
  },
  begin: istioCall,
  gather,
  decide,
  report,
  later: laterInstalled,
  keys: istiosConcerned,
}
