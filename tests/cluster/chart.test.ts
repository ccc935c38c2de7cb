// The chart on a real API server, by the commands that its README shows.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { ownControlPlane } from '../harness/clusters/cluster.ts'
import { serviceAccountToken } from '../harness/clusters/service-account.ts'
import { contains, lacks, matches } from '../harness/matches.ts'
import { oracles } from '../harness/oracles.ts'
import { testFolder } from '../harness/test-folder.ts'
import { until, usualSeconds } from '../harness/until.ts'

const project = join(import.meta.dirname, '..', '..')
const namespace = 'espalier-system'
const cluster = await ownControlPlane(t)
const programs = await oracles()

type Result = { code: unknown; stdout: string; text: string }

const run = (program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Result> =>
  new Promise(resolve => {
    const home = dirname(cluster.kubeconfigPath)
    const options = {
      cwd: project,
      env: { KUBECONFIG: cluster.kubeconfigPath, HOME: home, PATH: process.env.PATH, ...env },
      maxBuffer: 2 ** 26,
    }
    execFile(program, [...args], options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, text: stdout + stderr }),
    )
  })

const kubectl = (...args: string[]): Promise<Result> => run(programs.kubectl, args)

const succeeds = async (t: Test, program: keyof typeof programs, ...args: string[]): Promise<string> => {
  const { code, stdout, text } = await run(programs[program], args)
  t.equal(code, 0, `${program} ${args.join(' ')}\n${text}`)
  return stdout
}

/** The arguments of a command that a page shows. */
const shown = (page: string, start: string): string[] => {
  const line = readFileSync(join(project, 'manifests/helm', page), 'utf8')
    .split('\n')
    .find(text => text.startsWith(start))
  if (line === undefined) throw new Error(`${page} shows no ${start}`)
  return line.split(' ').slice(1)
}

t.test(
  'FN-173 the chart is installed, follows namespaces, is taken out again, and adopts what kubectl applied',
  async t => {
    await t.test('after helm install the samples apply', async t => {
      await succeeds(t, 'helm', ...shown('README.md', 'helm install'))
      await succeeds(t, 'kubectl', ...wait)
      await succeeds(t, 'kubectl', 'apply', '-f', 'manifests/samples/components.yaml')
    })

    await t.test('NOTES names missing namespaces, and once one exists helm upgrade brings its roles', async t => {
      const upgrade = shown('UPGRADE.md', 'helm upgrade espalier')
      contains(t, await succeeds(t, 'helm', ...upgrade), 'Namespace garden does not exist.')
      matches(t, await kubectl('get', 'rolebindings', '-n', 'garden', '-o', 'name'), { stdout: '' })
      await succeeds(t, 'kubectl', 'create', 'namespace', 'garden')
      lacks(t, await succeeds(t, 'helm', ...upgrade), 'Namespace garden')
      const roles = await succeeds(t, 'kubectl', 'get', 'rolebindings', '-n', 'garden', '-o', 'name')
      contains(t, roles, 'espalier-host-garden-care\n')
    })

    await t.test('fewer functions: the others go, and the relay may no longer watch everything', async t => {
      await succeeds(t, 'helm', ...shown('UPGRADE.md', 'helm upgrade espalier'), '--set', 'functions={garden-care}')
      const accounts = await succeeds(t, 'kubectl', 'get', 'serviceaccounts', '-n', namespace, '-o', 'name')
      t.strictSame(
        accounts.trim().split('\n').sort(),
        ['default', 'garden-care', 'host', 'relay', 'webhook-certificate'].map(name => `serviceaccount/${name}`),
      )
      const as = `--as=system:serviceaccount:${namespace}:relay`
      matches(t, await kubectl('auth', 'can-i', 'watch', 'gardens.operator.gardener.cloud', as), { stdout: 'yes\n' })
      matches(t, await kubectl('auth', 'can-i', 'list', 'secrets', '-A', as), { stdout: 'no\n' })
      lacks(
        t,
        await succeeds(t, 'kubectl', 'get', 'validatingwebhookconfigurations', '-o', 'name'),
        'gardener-operator',
      )
      await succeeds(t, 'helm', ...shown('UPGRADE.md', 'helm upgrade espalier'), '--set-json', 'functions=[]')
    })

    await t.test('what helm test runs fails without Deployments and names objects with finalizers', async t => {
      await succeeds(t, 'kubectl', 'patch', 'component', 'shop', '-n', 'shop', '--type=merge', '-p', finalized)
      const { stdout } = await run(programs.helm, ['get', 'hooks', 'espalier', '-n', namespace])
      const hooks = parseAllDocuments(stdout).flatMap(document => (document.toJS() as KubeObject | null) ?? [])
      const file = join(testFolder(t), 'hooks.json')
      writeFileSync(
        file,
        JSON.stringify({ apiVersion: 'v1', kind: 'List', items: hooks.filter(({ kind }) => kind !== 'Pod') }),
      )
      await succeeds(t, 'kubectl', 'apply', '-f', file)
      const pod = hooks.find(({ kind }) => kind === 'Pod') as unknown as HookPod
      const tested = () => run(process.execPath, pod.spec.containers[0]?.args ?? [], environment)
      const environment = await environmentOf(t, pod)
      matches(t, await tested(), { code: 0, text: 'components.core.espalier.dev shop/shop: example.org/held\n' })
      await succeeds(t, 'kubectl', 'scale', 'deployment', 'host', '-n', namespace, '--replicas=0')
      await succeeds(t, 'kubectl', 'patch', 'deployment', 'host', '-n', namespace, '--type=json', '-p', broken)
      await succeeds(t, 'kubectl', 'scale', 'deployment', 'host', '-n', namespace, '--replicas=1')
      const failed = await until(tested, ({ code }) => code !== 0)
      contains(t, failed.text, `not available: Deployments host of namespace ${namespace}`)
      await succeeds(t, 'kubectl', 'patch', 'component', 'shop', '-n', 'shop', '--type=merge', '-p', released)
    })

    await t.test('helm uninstall leaves definitions, objects, and no webhook that refuses them', async t => {
      await succeeds(t, 'helm', 'uninstall', 'espalier', '--namespace', namespace)
      await succeeds(t, 'kubectl', 'get', 'component', 'shop', '-n', 'shop')
      await succeeds(t, 'kubectl', 'apply', '-f', 'manifests/samples/garden.yaml')
      t.equal(await left(t), '')
    })

    await t.test('what kubectl apply -k brought is taken over', async t => {
      await succeeds(t, 'kubectl', 'delete', '-f', 'manifests/samples/garden.yaml', '--wait=false')
      await succeeds(t, 'kubectl', 'apply', '-k', 'manifests/deploy')
      await succeeds(t, 'helm', ...shown('UPGRADE.md', 'helm upgrade --install'))
      await succeeds(t, 'helm', 'uninstall', 'espalier', '--namespace', namespace)
      t.equal(await left(t), 'namespace/espalier-system\n', 'kubectl made it, and helm deletes no namespace')
    })
  },
)

const finalized = '{"metadata":{"finalizers":["example.org/held"]}}'
const released = '{"metadata":{"finalizers":null}}'
const broken = '[{"op":"add","path":"/spec/template/spec/nodeSelector","value":{"no":"node"}}]'
const wait = ['wait', '--for=condition=Available', `--timeout=${usualSeconds}s`, '-n', namespace, 'deployment', '--all']

type HookPod = {
  spec: { serviceAccountName: string; containers: { args: string[]; env: { name: string; value: string }[] }[] }
}

/** What a Pod of that account finds. */
const environmentOf = async (t: Test, { spec }: HookPod): Promise<NodeJS.ProcessEnv> => {
  const folder = testFolder(t)
  const { hostname, port } = new URL(cluster.url)
  writeFileSync(join(folder, 'token'), await serviceAccountToken(cluster, { namespace, name: spec.serviceAccountName }))
  writeFileSync(join(folder, 'ca.crt'), Buffer.from(cluster.caData, 'base64'))
  const set = (spec.containers[0]?.env ?? []).map(({ name, value }) => [name, value])
  return {
    ...Object.fromEntries(set),
    NODE_EXTRA_CA_CERTS: join(folder, 'ca.crt'),
    ACCOUNT_FOLDER: folder,
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
  }
}

/** The names of our objects of all kinds that an installation makes. */
const left = (t: Test): Promise<string> =>
  succeeds(t, 'kubectl', 'get', ours, '-A', '-l', 'app.kubernetes.io/part-of=espalier', '-o', 'name')

const ours = [
  ...['namespaces', 'mutatingwebhookconfigurations', 'validatingwebhookconfigurations', 'clusterroles'],
  ...['clusterrolebindings', 'roles', 'rolebindings', 'serviceaccounts', 'deployments', 'services', 'configmaps'],
  ...['networkpolicies', 'poddisruptionbudgets', 'validatingadmissionpolicies'],
].join(',')
