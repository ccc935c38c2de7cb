// ControllerRevisions: numbered templates of StatefulSets and DaemonSets. Pods have a label with the hash of their revision.
import type { KubeObject } from '../../../core/objects/object.ts'
import { fieldsAt, type JsonMap, numberAt, sameJson } from '../../value.ts'
import { ownedBy, ownerReference } from '../claims.ts'
import type { Context } from '../controller.ts'
import { hashOf, templateOf } from '../pods/pod-template.ts'

export const revisionLabel = 'controller-revision-hash'
const hashLabel = ({ kind }: KubeObject): string =>
  kind === 'StatefulSet' ? 'controller.kubernetes.io/hash' : revisionLabel

const collection = 'apps/controllerrevisions'

const dataOf = (owner: KubeObject): JsonMap => ({ spec: { template: { ...templateOf(owner), $patch: 'replace' } } })

export const revisionsOf = (context: Context, owner: KubeObject): KubeObject[] =>
  ownedBy(context, owner, collection).sort(
    (left, right) => numberAt(left, ['revision']) - numberAt(right, ['revision']),
  )

/** The revision of the current template. Creates it if missing; an earlier revision becomes the newest again. */
export const currentRevision = async (context: Context, owner: KubeObject): Promise<KubeObject | undefined> => {
  const all = revisionsOf(context, owner)
  const found = all.find(revision => sameJson(revision.data, dataOf(owner)))
  const last = numberAt(all.at(-1), ['revision'])
  if (!found) await context.writes.create(revisionObject(owner, last + 1))
  else if (found !== all.at(-1)) await context.writes.update(found, now => ({ ...now, revision: last + 1 }))
  return revisionsOf(context, owner).at(-1)
}

const revisionObject = (owner: KubeObject, revision: number): JsonMap => {
  const hash = hashOf(dataOf(owner))
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${owner.metadata.name}-${hash}`,
      namespace: owner.metadata.namespace,
      labels: { ...fieldsAt(templateOf(owner), 'metadata', 'labels'), [hashLabel(owner)]: hash },
      annotations: owner.metadata.annotations,
      ownerReferences: [ownerReference(owner)],
    },
    data: dataOf(owner),
    revision,
  }
}

/** Deletes revisions beyond the history limit that no Pod uses. */
export const forgetRevisions = async (
  context: Context,
  owner: KubeObject,
  used: ReadonlySet<string>,
): Promise<void> => {
  const unused = revisionsOf(context, owner).filter(each => !used.has(each.metadata.name) && !used.has(hashIn(each)))
  const kept = numberAt(owner, ['spec', 'revisionHistoryLimit'], 10)
  for (const revision of unused.slice(0, Math.max(0, unused.length - kept))) await context.writes.remove(revision)
}

export const hashIn = ({ metadata }: KubeObject): string => metadata.labels?.[revisionLabel] ?? ''

export const templateIn = (revision: KubeObject | undefined): JsonMap | undefined => {
  const { $patch: _, ...template } = fieldsAt(revision, 'data', 'spec', 'template') ?? {}
  return revision && template
}
