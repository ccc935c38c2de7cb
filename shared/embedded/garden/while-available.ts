// Binds a stand-in to the Deployment of the operator it stands for: it works while that is available, so that who removes the operator
// too early, or forgets to make it, waits here as in a real cluster.
import type { Client } from '../../kube/client-types.ts'
import { isAvailable } from './health.ts'
import type { StandIn } from './stand-in.ts'

type Operator = { readonly client: Client; readonly namespace: string; readonly name: string }

const deployments = { apiVersion: 'apps/v1', kind: 'Deployment' } as const

export const whileAvailable = (standIn: StandIn, { client, namespace, name }: Operator): StandIn => ({
  ...standIn,
  kinds: standIn.kinds.some(({ kind }) => kind === deployments.kind)
    ? standIn.kinds
    : [...standIn.kinds, { ...deployments, client, namespace }],
  look: async known => {
    const operator = known.find({ ...deployments, namespace, name })
    return operator && isAvailable(operator) ? standIn.look(known) : undefined
  },
})
