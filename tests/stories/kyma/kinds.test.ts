// What the API server takes and refuses of Kyma's kinds, and in which words.
import t from 'tap'
import { kymaCrds } from '../../../shared/api/kyma/crds.ts'
import type { ModuleTemplateFields } from '../../../shared/api/kyma.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { matches } from '../../harness/matches.ts'
import { kyma, moduleManifest, moduleReleaseMeta, moduleTemplate, watcher } from '../../make/kyma/kyma.ts'

const { api, namespace } = await anyCluster(t)
const plurals = { Kyma: 'kymas', Manifest: 'manifests', Watcher: 'watchers' } as const
const pathOf = (kind: string): string => {
  const plural = plurals[kind as keyof typeof plurals] ?? `${kind.toLowerCase()}s`
  return `/apis/operator.kyma-project.io/v1beta2/namespaces/${namespace}/${plural}`
}

for (const definition of kymaCrds())
  await api.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: definition })
for (const kind of ['Kyma', 'Manifest', 'ModuleReleaseMeta', 'ModuleTemplate', 'Watcher'])
  await api.served(pathOf(kind))

const created = (object: KubeObject) =>
  api.call('POST', pathOf(object.kind), { body: { ...object, metadata: { ...object.metadata, namespace } } })

/** As it is stored. Throws if the API server refuses it. */
const accepted = async (object: KubeObject) => {
  const { status, text, body } = await created(object)
  if (status !== 201) throw new Error(text)
  return body
}

t.test('KY-19 each kind is accepted, and defaults are filled in', async t => {
  const modules = [{ name: 'telemetry' }]
  matches(t, await accepted(kyma({ spec: { modules } })), {
    spec: {
      channel: 'regular',
      modules: [{ name: 'telemetry', customResourcePolicy: 'CreateAndDelete', managed: true }],
    },
  })
  const data = { apiVersion: 'operator.kyma-project.io/v1alpha1', kind: 'Telemetry', metadata: {}, spec: { any: 1 } }
  matches(t, await accepted(moduleTemplate({ spec: { data } })), { spec: { data: { spec: { any: 1 } } } })
  matches(t, await accepted(moduleReleaseMeta()), { spec: { beta: false, internal: false } })
  matches(t, await accepted(moduleManifest({ spec: { resource: data } })), {
    spec: { resource: data, customResourcePolicy: 'CreateAndDelete' },
  })
  matches(t, await accepted(watcher()), { spec: { field: 'spec' } })
})

type Refused = { readonly because: string; readonly object: KubeObject; readonly message: RegExp }

const exactlyOne = /exactly one of 'mandatory' or 'channels' must be specified/
const anyone = { metadata: { name: 'refused' } }
const moduleNamed = (change: object) => kyma({ ...anyone, spec: { modules: [{ name: 'telemetry', ...change }] } })

const refused: readonly Refused[] = [
  {
    because: 'a channel in capitals',
    object: kyma({ ...anyone, spec: { channel: 'Fast' } }),
    message: /spec\.channel: Invalid value: "Fast": spec\.channel in body should match '\^\[a-z\]\+\$'/,
  },
  {
    because: 'a channel that is too short',
    object: kyma({ ...anyone, spec: { channel: 'ab' } }),
    message: /spec\.channel in body should be at least 3 chars long/,
  },
  {
    because: 'a policy that there is not',
    object: moduleNamed({ customResourcePolicy: 'Keep' }),
    message:
      /spec\.modules\[0\]\.customResourcePolicy: Unsupported value: "Keep": supported values: "CreateAndDelete", "Ignore"/,
  },
  {
    because: 'a module that is named twice',
    object: kyma({ ...anyone, spec: { modules: [{ name: 'telemetry' }, { name: 'telemetry' }] } }),
    message: /spec\.modules\[1\]: Duplicate value: \{"name":"telemetry"\}/,
  },
  {
    because: 'a strategy that there is not',
    object: kyma({ ...anyone, spec: { remote: { strategy: 'token' as 'secret' } } }),
    message: /spec\.remote\.strategy: Unsupported value: "token": supported values: "secret"/,
  },
  {
    because: 'a release with channels and a mandatory version',
    object: moduleReleaseMeta({ ...anyone, spec: { mandatory: { version: '1.0.0' } } }),
    message: exactlyOne,
  },
  {
    because: 'a release with neither',
    object: moduleReleaseMeta({ ...anyone, spec: { channels: null } }),
    message: exactlyOne,
  },
  {
    because: 'a mandatory version that is none',
    object: moduleReleaseMeta({ ...anyone, spec: { channels: null, mandatory: { version: '1.0' } } }),
    message: /spec\.mandatory\.version in body should match/,
  },
  {
    because: 'an OCM component without a domain',
    object: moduleReleaseMeta({ ...anyone, spec: { ocmComponentName: 'telemetry' } }),
    message: /spec\.ocmComponentName in body should match/,
  },
  {
    because: 'a template without a descriptor',
    object: moduleTemplate({ ...anyone, spec: { descriptor: null } as unknown as ModuleTemplateFields['spec'] }),
    message: /spec\.descriptor: Required value/,
  },
  {
    because: 'a template whose default object has no kind',
    object: moduleTemplate({ ...anyone, spec: { data: { apiVersion: 'v1' } } }),
    message: /spec\.data\.kind: Required value/,
  },
  {
    because: 'a link that is no URI',
    object: moduleTemplate({ ...anyone, spec: { resources: [{ name: 'raw', link: 'no link' }] } }),
    message: /spec\.resources\[0\]\.link in body must be of type uri: "no link"/,
  },
  {
    because: 'a Watcher of a field that there is not',
    object: watcher({ ...anyone, spec: { field: 'metadata' as 'spec' } }),
    message: /spec\.field: Unsupported value: "metadata": supported values: "spec", "status"/,
  },
]

t.test('KY-19 what breaks the schema is refused, and the message names the field', async t => {
  for (const { because, object, message } of refused) {
    const { status, text, body } = await created(object)
    t.equal(status, 422, `${because}: ${text}`)
    matches(t, body, { message }, because)
  }
})

t.test('KY-19 the former version is known and not served', async t => {
  const former = pathOf('Kyma').replace('v1beta2', 'v1beta1')
  t.equal((await api.call('GET', former)).status, 404)
  for (const { spec, metadata } of kymaCrds()) {
    const versions = (spec.versions as { name: string; served: boolean; storage: boolean }[]).map(
      ({ name, served, storage }) => `${name} ${served} ${storage}`,
    )
    const isNew = metadata.name.startsWith('modulereleasemetas')
    t.strictSame(versions, ['v1beta2 true true', ...(isNew ? [] : ['v1beta1 false false'])], metadata.name)
  }
})
