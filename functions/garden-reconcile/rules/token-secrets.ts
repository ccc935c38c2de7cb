// Secrets in namespace garden that ask for a token of the virtual garden and name no class: its resource manager serves those of class
// shoot alone, so they get that class. A Secret that names a class is left alone, and so is every other namespace.
import { gardenNamespace } from '../../../shared/api/garden.ts'
import type { Step } from '../../../shared/core/plan.ts'
import type { World } from '../world.ts'
import { objectsOf } from './objects.ts'

const prefix = 'resources.gardener.cloud'

/** One patch for each of them. */
export const tokenSecretSteps = ({ runtime }: World): Step[] =>
  objectsOf(runtime, { apiVersion: 'v1', kind: 'Secret' })
    .filter(({ metadata: { namespace, labels = {} } }) => {
      const isRequest = labels[`${prefix}/purpose`] === 'token-requestor'
      return namespace === gardenNamespace && isRequest && labels[`${prefix}/class`] === undefined
    })
    .map(
      (target): Step => ({
        do: 'patch',
        target,
        merge: { metadata: { labels: { [`${prefix}/class`]: 'shoot' } } },
      }),
    )
