// The kinds that people may name on a command line.
import { gardenKind } from '../../api/garden.ts'
import { istioKind } from '../../api/istio.ts'
import { kymaKind, manifestKind, watcherKind } from '../../api/kyma.ts'
import type { GroupVersionKind } from '../../core/objects/object.ts'
import { UsageFault } from './command.ts'

/** Those whose objects have a state. */
export const ourKinds: readonly GroupVersionKind[] = [
  { apiVersion: 'core.espalier.dev/v1alpha1', kind: 'Component' },
  gardenKind,
  istioKind,
  kymaKind,
  manifestKind,
  watcherKind,
]

const builtIn: readonly GroupVersionKind[] = [
  ...['Namespace', 'PersistentVolumeClaim', 'Pod', 'Service'].map(kind => ({ apiVersion: 'v1', kind })),
  ...['DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'].map(kind => ({ apiVersion: 'apps/v1', kind })),
  { apiVersion: 'batch/v1', kind: 'Job' },
]

/** In any case, in the singular or plural. */
export const isCalled = ({ kind }: Pick<GroupVersionKind, 'kind'>, word: string): boolean =>
  [kind, `${kind}s`].some(name => name.toLowerCase() === word.toLowerCase())

export const kindCalled = (word: string, kinds = [...ourKinds, ...builtIn]): GroupVersionKind => {
  const found = kinds.find(kind => isCalled(kind, word))
  if (found) return found
  throw new UsageFault(`${word} is no kind known here; expected one of ${kinds.map(({ kind }) => kind).join(', ')}`)
}
