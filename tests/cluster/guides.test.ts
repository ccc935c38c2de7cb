// The commands of docs/guides on a real API server: each page from its first command to its last, as somebody would type them.
import t, { type Test } from 'tap'
import { ownControlPlane } from '../harness/clusters/cluster.ts'
import { commandsOf, typing } from '../harness/docs/pages.ts'
import { contains, lacks, matches } from '../harness/matches.ts'

const cluster = await ownControlPlane(t)
const { run } = await typing(t, cluster.kubeconfigPath)

/** What these commands answer says something, whatever their exit code is. */
const answersOnly: readonly { readonly start: string; readonly says: RegExp }[] = [
  // `no` is exit code 1.
  { start: 'kubectl auth can-i', says: /^no\n/ },
  // The nodes of this cluster run nothing.
  { start: 'kubectl --namespace espalier-system logs', says: /./ },
]

const works = async (t: Test, page: string): Promise<string> => {
  const commands = commandsOf(`docs/guides/${page}`)
  t.ok(commands.length > 0, `${page} has commands`)
  let all = ''
  for (const command of commands) {
    const { code, text } = await run(command)
    const answer = answersOnly.find(({ start }) => command.startsWith(start))
    if (answer) matches(t, text, answer.says)
    else t.equal(code, 0, `${page}: ${command}\n${text}`)
    all += text
  }
  return all
}

/** What a guide takes for granted: other programs that are there. */
const prepared = async (t: Test, ...commands: string[]): Promise<void> => {
  for (const command of commands) {
    const { code, text } = await run(command)
    t.equal(code, 0, `${command}\n${text}`)
  }
}

const operator = (namespace: string, name: string): string =>
  `kubectl --namespace ${namespace} create deployment ${name} --image=operator`

const prometheusOperator = ['PodMonitor', 'PrometheusRule'].map(kind => {
  const plural = `${kind.toLowerCase()}s`
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.monitoring.coreos.com` },
    spec: {
      group: 'monitoring.coreos.com',
      scope: 'Namespaced',
      names: { kind, plural },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  }
  return `echo '${JSON.stringify(definition)}' | kubectl apply -f - && kubectl wait --for=condition=Established crd/${plural}.monitoring.coreos.com`
})

t.test('FN-178 the commands of the guides do what the guides say', async t => {
  contains(t, await works(t, 'install.md'), 'Namespace kcp-system does not exist.')
  await works(t, 'upgrade.md')
  await prepared(t, ...prometheusOperator, 'kubectl create namespace monitoring')
  await works(t, 'watch.md')
  contains(t, (await run('kubectl -n espalier-system get podmonitors,prometheusrules -o name')).text, 'podmonitor')
  await works(t, 'scale-out.md')
  await works(t, 'secure.md')
  await works(t, 'troubleshoot.md')
  await works(t, 'back-up.md')
  await works(t, 'from-component-operator-runtime.md')
  await prepared(t, operator('kyma-system', 'istio-controller-manager'))
  await works(t, 'from-kyma-istio.md')
  await prepared(t, 'kubectl create namespace garden', operator('garden', 'gardener-operator'))
  await works(t, 'from-gardener-operator.md')
  await prepared(
    t,
    'kubectl create namespace kcp-system',
    `${operator('kcp-system', 'klm-controller-manager')} -- /manager --log-level=1`,
  )
  await works(t, 'from-lifecycle-manager.md')
  await works(t, 'uninstall.md')
  lacks(t, (await run('kubectl get crds -o name')).text, 'espalier')
})

t.test('FN-176 requests of our accounts, and of no others, are of the FlowSchema of the chart', async t => {
  const install =
    'helm install espalier manifests/helm --namespace platform --create-namespace --set flowSchema.enabled=true'
  await prepared(t, install)
  const schemas = await run(
    'kubectl get flowschemas -o custom-columns=NAME:.metadata.name,UID:.metadata.uid --no-headers',
  )
  const names = new Map(schemas.text.split('\n').map(line => line.split(/ +/).reverse() as [string, string]))
  const schemaOf = async (account: string): Promise<string | undefined> => {
    const { text } = await run(`kubectl get --raw /version --as=system:serviceaccount:${account} -v=8`)
    return names.get(/X-Kubernetes-Pf-Flowschema-Uid[":[ ]+([0-9a-f-]+)/i.exec(text)?.[1] ?? '')
  }
  t.equal(await schemaOf('platform:relay'), 'platform-programs')
  t.equal(await schemaOf('platform:host'), 'platform-programs')
  t.equal(await schemaOf('elsewhere:relay'), 'service-accounts')
  await prepared(t, 'helm uninstall espalier --namespace platform')
})
