// The sample policy for tenants on the embedded cluster; what policies do in general is recorded from the real API server in
// tests/conformance/cases/FN-135.yaml.
import t from 'tap'
import { componentCrd } from '../../../shared/api/component/crd.ts'
import type { ComponentSpec } from '../../../shared/api/component.ts'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { clientTo } from '../../harness/clusters/cluster-client.ts'
import { generatedObjects } from '../../harness/clusters/generated-manifests.ts'
import { matches, rejects } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'
import { component } from '../../make/component/component.ts'

const writer = { fieldManager: 'person' }
const rbac = { apiGroup: 'rbac.authorization.k8s.io' }

t.test('FN-136 the sample policy lets tenants have Components under their service account only', async t => {
  const cluster = await anyCluster(t)
  const { namespace } = cluster
  const admin = clientTo(t, cluster)
  const put = (object: object) => admin.apply(object as KubeObject, { ...writer, force: true })
  await put(componentCrd())
  for (const object of generatedObjects('samples', 'policies', 'components-of-tenants.yaml')) await put(object)
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'tenant', namespace } }
  const impersonate = {
    apiGroups: [''],
    resources: ['serviceaccounts'],
    resourceNames: ['mine'],
    verbs: ['impersonate'],
  }
  const write = { apiGroups: ['core.espalier.dev'], resources: ['components'], verbs: ['*'] }
  await put({ ...role, kind: 'Role', rules: [write, impersonate] })
  const subjects = [{ ...rbac, kind: 'User', name: 'tina' }]
  await put({ ...role, kind: 'RoleBinding', roleRef: { ...rbac, kind: 'Role', name: 'tenant' }, subjects })
  const tina = admin.bound({ impersonate: { user: 'tina', groups: ['team'] } })
  const created = (spec: Partial<ComponentSpec>, as = tina) =>
    as.create(component({ name: 'a', namespace }, spec), { ...writer, dryRun: true })
  const denied =
    "ValidatingAdmissionPolicy 'components-of-tenants' with binding 'components-of-tenants' denied request: "
  await rejects(t, created({}), { message: new RegExp(`${denied}spec.serviceAccountName must name`) })
  const other = created({ serviceAccountName: 'other' })
  await rejects(t, other, { message: new RegExp(`${denied}you may not impersonate the service account other`) })
  const far = created({ serviceAccountName: 'mine', kubeConfig: { secretRef: { name: 'far' } } })
  await rejects(t, far, { message: /spec\.kubeConfig is for administrators/ })
  matches(t, await created({ serviceAccountName: 'mine' }), { spec: { serviceAccountName: 'mine' } })
  matches(t, await created({}, admin), { metadata: { name: 'a' } })
  const theirs = await admin.create(component({ name: 'theirs', namespace }), writer)
  await rejects(t, tina.delete(refOf(theirs), {}), { message: /only administrators delete a Component without/ })
  const named = { type: 'merge', body: { spec: { serviceAccountName: 'mine' } } } as const
  const changed = { message: /spec\.serviceAccountName of a Component that exists is changed by administrators only/ }
  await rejects(t, tina.patch(refOf(theirs), named, writer), changed)
  await admin.patch(refOf(theirs), named, writer)
  await t.resolves(tina.delete(refOf(theirs), {}), 'what has an account')
  await admin.create(component({ name: 'bare', namespace }), writer)
  const home = { apiVersion: 'v1', kind: 'Namespace', namespace: '', name: namespace }
  await admin.delete(home, {})
  await eventually('the namespace is gone', async () => (await admin.get(home)) === undefined)
})
