// spec.source of a Component: the source of its dependents.
import { about, exactlyOne, nonEmptyText, object, options, type Schema, text } from '../schema.ts'

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

export const source = about(
  'Where the dependents come from.',
  exactlyOne(options({ helm, kustomize, manifests }), 'helm', 'kustomize', 'manifests'),
)
