// Arguments of the VerticalPodAutoscaler's programs: constant ones, and what the Garden says of gates and limits.
import type { World } from '../../world.ts'
import { namespace } from '../parts/names.ts'
import { certificateFolder, vpaPorts } from './vpa-names.ts'

const common = ['--stderrthreshold=info', '--kube-api-qps=200', '--kube-api-burst=250']

const leading = (name: string) => [
  ...['--leader-elect=true', `--leader-elect-resource-name=${name}`],
  `--leader-elect-resource-namespace=${namespace}`,
]

const settingsOf = ({ garden }: World) => garden.spec.runtimeCluster.settings?.verticalPodAutoscaler ?? {}

/** `--feature-gates=A=true,B=false` */
const gates = (world: World): string[] => {
  const pairs = Object.entries(settingsOf(world).featureGates ?? {}).map(([name, value]) => `${name}=${value}`)
  return pairs.length > 0 ? [`--feature-gates=${pairs.toSorted().join()}`] : []
}

export const admissionArgs = (world: World): string[] => [
  ...['--v=2', ...common, `--address=:${vpaPorts.admission}`, `--port=${vpaPorts.webhook}`],
  `--client-ca-file=${certificateFolder}/bundle.crt`,
  `--tls-cert-file=${certificateFolder}/tls.crt`,
  `--tls-private-key=${certificateFolder}/tls.key`,
  ...['--register-webhook=false', ...gates(world)],
]

export const updaterArgs = (world: World): string[] => [
  ...['--v=2', ...common, '--min-replicas=1', '--eviction-tolerance=1.0', '--eviction-rate-burst=1'],
  ...['--eviction-rate-limit=-1', '--evict-after-oom-threshold=48h', '--updater-interval=1m'],
  ...[...leading('vpa-updater'), ...gates(world)],
]

export const recommenderArgs = (world: World): string[] => [
  ...['--v=3', ...common, '--recommender-interval=1m', '--memory-saver=true'],
  ...['--recommendation-margin-fraction=0.05', '--pod-recommendation-min-cpu-millicores=10'],
  ...['--pod-recommendation-min-memory-mb=10', ...leading('vpa-recommender'), ...gates(world)],
  ...['cpu', 'memory'].flatMap(resource => {
    const most = settingsOf(world).maxAllowed?.[resource]
    return most === undefined ? [] : [`--container-recommendation-max-allowed-${resource}=${most}`]
  }),
]
