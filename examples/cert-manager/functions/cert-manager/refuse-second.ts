// cert-manager works once in a cluster: its definitions and its webhook belong to the cluster.
import type { Hook, KubeObject } from 'espalier'

const age = ({ metadata: { creationTimestamp = '', uid = '' } }: KubeObject): string => `${creationTimestamp} ${uid}`

export const refuseSecond: Hook = async (_context, client, component) => {
  const { apiVersion, kind } = component
  const all = await client.list({ apiVersion, kind })
  const older = all.find(one => age(one) < age(component))
  if (older)
    throw new Error(
      `${kind} ${older.metadata.namespace}/${older.metadata.name} already exists: a cluster can have only one`,
    )
}
