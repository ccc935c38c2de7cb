// spec of a Component.
import {
  about,
  defaulted,
  duration,
  exactlyOne,
  flag,
  held,
  list,
  nonEmptyText,
  object,
  oneOf,
  options,
  raw,
  type Schema,
  text,
} from '../schema.ts'

// spec.source: where the dependents come from.

/** A relative path without `..`. */
const pathBelow: Schema<string> = {
  ...text,
  maxLength: 1024,
  pattern: '^(\\.|(\\./)?\\.?[A-Za-z0-9_-][A-Za-z0-9._-]*(/\\.?[A-Za-z0-9_-][A-Za-z0-9._-]*)*/?)$',
}

const repository: Schema<string> = {
  ...about('Registry and repository, such as registry.example.com/charts/shop; the prefix oci:// is optional.', text),
  maxLength: 512,
  pattern: '^(oci://)?([A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?(/[a-z0-9]+((\\.|_|__|-+)[a-z0-9]+)*)+$',
}

const tag: Schema<string> = { ...text, pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$' }

const digest: Schema<string> = { ...text, pattern: '^sha256:[0-9a-f]{64}$' }

const oci = about(
  'An artifact in a registry.',
  exactlyOne(
    object(
      { repository },
      {
        tag: about('Tag of the artifact, resolved again in every reconciliation.', tag),
        digest: about('Digest of the manifest of the artifact; the content of a digest never changes.', digest),
        secretRef: about(
          'A Secret of type kubernetes.io/dockerconfigjson in the namespace of the Component.',
          object({ name: nonEmptyText }),
        ),
      },
    ),
    'tag',
    'digest',
  ),
)

const configMapRef = about(
  'A ConfigMap in the namespace of the Component: either artifact.tgz in binaryData, or one key per file with __ instead of / in the path.',
  object({ name: nonEmptyText }),
)

const helm = about(
  'A Helm chart.',
  exactlyOne(
    options({
      oci,
      directory: about('A folder below the chart root of the host.', pathBelow),
      configMapRef,
    }),
    'oci',
    'directory',
    'configMapRef',
  ),
)

const kustomize = about(
  'A kustomization, or a folder of manifests.',
  exactlyOne(
    options({ oci, configMapRef, path: about('The folder inside the artifact; its root when absent.', pathBelow) }),
    'oci',
    'configMapRef',
  ),
)

const manifest: Schema<Record<string, unknown>> = {
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true,
  required: ['apiVersion', 'kind', 'metadata'],
  properties: {
    apiVersion: nonEmptyText,
    kind: nonEmptyText,
    metadata: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      required: ['name'],
      properties: { name: nonEmptyText },
    },
  },
}

const manifests: Schema<Record<string, unknown>[]> = {
  ...about('The dependents themselves.', {}),
  type: 'array',
  minItems: 1,
  maxItems: 500,
  items: manifest,
}

const source = about(
  'Where the dependents come from.',
  exactlyOne(options({ helm, kustomize, manifests }), 'helm', 'kustomize', 'manifests'),
)

// Configuration fields of every component: target, identity, intervals and policies.

const kubeConfig = about(
  'Target cluster of the dependents. Default: the cluster of the component.',
  object({
    secretRef: about(
      'A Secret in the namespace of the component. Without a key: value, value.yaml or value.yml.',
      object({ name: nonEmptyText }, { key: text }),
    ),
  }),
)

const managedType = object({
  group: about('API group: exact, * for all, or *.suffix.', text),
  kind: about('Kind: exact, or * for all.', nonEmptyText),
})

const configuration = {
  deploymentNamespace: about('Namespace of dependents that have none. Default: the namespace of the component.', text),
  deploymentName: about('Release name for generators. Default: the name of the component.', text),
  kubeConfig,
  impersonationUser: about('User that is impersonated to read and write dependents and to read references.', text),
  impersonationGroups: about('Groups of impersonationUser.', list(text)),
  serviceAccountName: about(
    'Service account in the namespace of the component that is impersonated instead of a user; excludes impersonationGroups.',
    text,
  ),
  requeueInterval: about('Time between two reconciliations of a ready component, at least 1s. Default: 10m.', duration),
  retryInterval: about(
    'Time until the next attempt after a temporary error, at least 1s. Default: requeueInterval.',
    duration,
  ),
  timeout: about('Time in which dependents must become ready, at least 1s. Default: requeueInterval.', duration),
  adoptionPolicy: about(
    'Whether to take over objects that already exist. Default: IfUnowned.',
    oneOf('Never', 'IfUnowned', 'Always', 'never', 'if-unowned', 'always'),
  ),
  updatePolicy: about(
    'How dependents are updated. Default: Replace.',
    oneOf('Replace', 'SsaMerge', 'SsaOverride', 'Recreate', 'replace', 'ssa-merge', 'ssa-override', 'recreate'),
  ),
  deletePolicy: about(
    'What happens to dependents when the component is deleted. Default: Delete.',
    oneOf('Delete', 'Orphan', 'delete', 'orphan'),
  ),
  createMissingNamespaces: about('Whether missing namespaces are created. Default: true.', flag),
  additionalManagedTypes: about(
    'Additional types whose instances block the deletion; instances of CRDs among the dependents always do.',
    { ...list(managedType), maxItems: 100 },
  ),
  suspend: about('true: pauses everything except the deletion of the component.', flag),
  reapplyInterval: about(
    'Time after which unchanged dependents are applied again, at least 1s. Default: 60m.',
    duration,
  ),
}

const valuesReference = object(
  { kind: oneOf('ConfigMap', 'Secret'), name: nonEmptyText },
  {
    key: defaulted(text, 'values.yaml'),
    optional: about('Whether the object may be absent.', flag),
  },
)

const fields = object(
  { source },
  {
    values: about('Values of the chart or of the templates of the kustomization. They override valuesFrom.', raw),
    valuesFrom: about('Sources of values, merged in this order; each value is a YAML document.', {
      ...list(valuesReference),
      maxItems: 100,
    }),
    ...configuration,
  },
)

const withoutManifests = (field: string) => ({
  rule: `!has(self.source.manifests) || !has(self.${field})`,
  message: 'spec.values and spec.valuesFrom cannot be used with spec.source.manifests',
  fieldPath: `.${field}`,
})

export const componentSpec = about(
  'Desired objects, and how to apply them.',
  held(
    fields,
    withoutManifests('values'),
    withoutManifests('valuesFrom'),
    {
      rule: '!(has(self.impersonationUser) && has(self.serviceAccountName))',
      message: 'only one of impersonationUser and serviceAccountName may be set',
      fieldPath: '.serviceAccountName',
    },
    {
      rule: '!has(self.serviceAccountName) || !has(self.impersonationGroups) || self.impersonationGroups.size() == 0',
      message: 'impersonationGroups cannot be set together with serviceAccountName',
      fieldPath: '.impersonationGroups',
    },
  ),
)
