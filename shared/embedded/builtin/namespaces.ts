// Namespace: the finalizer in its spec, its phase, and the label with its name.

import type { KubeObject } from '../../core/objects/object.ts'
import { labelNameFaults } from '../names.ts'
import { fieldsAt } from '../value.ts'
import { ensured } from './draft.ts'
import type { Traits } from './trait.ts'

export const namespaceFinalizer = 'kubernetes'

const defaults = (draft: KubeObject): void => {
  if (draft.metadata.name)
    draft.metadata.labels = { ...draft.metadata.labels, 'kubernetes.io/metadata.name': draft.metadata.name }
}

const onCreate = (draft: KubeObject): void => {
  defaults(draft)
  const spec = ensured(draft, 'spec')
  spec.finalizers = [...new Set([...(Array.isArray(spec.finalizers) ? spec.finalizers : []), namespaceFinalizer])]
  draft.status = { phase: 'Active' }
}

/** Only the finalize subresource can change spec.finalizers. */
const onUpdate = (draft: KubeObject, before: KubeObject): void => {
  draft.spec = { ...fieldsAt(before, 'spec') }
}

export const namespaceTraits: Traits = {
  defaults,
  onCreate,
  onUpdate,
  nameFaults: labelNameFaults,
  answersDeleted: true,
}
