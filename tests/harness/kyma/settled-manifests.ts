// Questions of stories about Manifests: their state, and calls until a condition holds.
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { Kyma, Manifest } from '../../../shared/kyma/kinds.ts'
import { eventually } from '../until.ts'
import { yamlOf } from './layer-objects.ts'
import type { ManifestGround } from './manifest-ground.ts'

/** State and operation, as the status of a Kyma or Manifest says. */
export const statesIn =
  ({ read }: { read(name: string): Promise<Kyma | Manifest | undefined> }) =>
  async (name: string) => {
    const { state, lastOperation } = (await read(name))?.status ?? {}
    return { state, operation: lastOperation?.operation }
  }

export const settledManifests = (ground: ManifestGround) => {
  const stateOf = statesIn(ground)
  const isGone = async (name: string) => (await ground.read(name)) === undefined
  const settledUntil = (name: string, isSo: () => Promise<boolean>) =>
    eventually(`${name} is as desired`, async () => {
      await ground.settle(name)
      return isSo()
    })
  return {
    stateOf,
    isGone,
    settledUntil,
    untilReady: (name: string) => settledUntil(name, async () => (await stateOf(name)).state === 'Ready'),
    untilGone: (name: string) => settledUntil(name, () => isGone(name)),
    /** From now on, the module of the Manifest consists of these objects. */
    withLayer: async (name: string, ...objects: KubeObject[]) => {
      const { spec } = (await ground.read(name)) ?? {}
      const ref = ground.layer(yamlOf(...objects))
      await ground.change(name, { spec: { install: { source: { ...spec?.install.source, ref } } } })
    },
  }
}
