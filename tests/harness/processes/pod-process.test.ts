// A Pod that runs as a process differs from its template only in paths, hosts and ports.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { mountedConfigMap, mountedSecret } from '../../make/garden/virtual-garden.ts'
import { matches, rejects } from '../matches.ts'
import { processOfPod } from './pod-process.ts'
import { scratchFolder } from './scratch.ts'

const tokens = '/var/run/tokens'
const objects = [
  mountedSecret('access', { token: 'abc', other: 'x' }),
  mountedConfigMap('generic', {
    kubeconfig: `server: https://virtual-garden-kube-apiserver\ntokenFile: ${tokens}/token\n`,
    'config.yaml': 'health:\n  port: 8081\nmetrics:\n  port: 8080\n  reportPort: 8081\n',
  }),
]
const find = (kind: string, name: string) => objects.find(one => one.kind === kind && one.metadata.name === name)

type Mounted = { readonly args?: readonly string[]; readonly volume: object; readonly subPath?: string }

const deployment = ({ args = [], volume, subPath }: Mounted): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'kcm', namespace: 'garden' },
  spec: {
    template: {
      spec: {
        containers: [
          {
            name: 'kube-controller-manager',
            args,
            volumeMounts: [{ name: 'v', mountPath: tokens, ...(subPath && { subPath }) }],
          },
        ],
        volumes: [{ name: 'v', ...volume }],
      },
    },
  },
})

const processIn = (t: Test) => {
  const dir = scratchFolder()
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const hosts = { 'virtual-garden-kube-apiserver': '127.0.0.1:1' }
  const start = (mounted: Mounted) =>
    processOfPod(deployment(mounted), { dir, find, hosts, ports: { 8081: 3 }, flags: { 'secure-port': '2' } })
  const text = (path = '') => readFileSync(join(dir, tokens, path), 'utf8')
  return { dir, start, text }
}

t.test('arguments stay as they are but for paths of mounts, hosts and ports', async t => {
  const { dir, start } = processIn(t)
  const args = [
    ...[`--kubeconfig=${tokens}/kubeconfig`, '--v=2', '--secure-port=10257', `--other=${tokens}-more/x`],
    ...[`--pair=${tokens}/a,${tokens}/b:api.example.com`, '--server=https://virtual-garden-kube-apiserver/x'],
    '--host=https://virtual-garden-kube-apiserver.example.com',
  ]
  matches(t, await start({ args, volume: { emptyDir: {} } }), {
    program: 'kube-controller-manager',
    args: [
      ...[`--kubeconfig=${dir}${tokens}/kubeconfig`, '--v=2', `--other=${tokens}-more/x`],
      ...[`--pair=${dir}${tokens}/a,${dir}${tokens}/b:api.example.com`, '--server=https://127.0.0.1:1/x'],
      ...['--host=https://virtual-garden-kube-apiserver.example.com', '--secure-port=2'],
    ],
  })
})

t.test('ports that a configuration gives are local ones', async t => {
  const { start, text } = processIn(t)
  await start({ volume: { configMap: { name: 'generic' } } })
  t.equal(text('config.yaml'), 'health:\n  port: 3\nmetrics:\n  port: 8080\n  reportPort: 8081\n')
})

t.test('a projected volume: named keys of several objects, and texts that lead to what is local', async t => {
  const { dir, start, text } = processIn(t)
  const item = (key: string) => ({ items: [{ key, path: key }] })
  const sources = [
    { configMap: { name: 'generic', ...item('kubeconfig') } },
    { secret: { name: 'access', ...item('token') } },
    { secret: { name: 'not-there', optional: true } },
  ]
  await start({ volume: { projected: { sources } } })
  t.equal(text('kubeconfig'), `server: https://127.0.0.1:1\ntokenFile: ${dir}${tokens}/token\n`)
  t.equal(text('token'), 'abc')
  t.notOk(existsSync(join(dir, tokens, 'other')))
})

t.test('what a kubelet would wait for is an error', async t => {
  const { start } = processIn(t)
  const key = { secretName: 'access', items: [{ key: 'gone', path: 'gone' }] }
  await rejects(t, start({ volume: { secret: { secretName: 'not-there' } } }), {
    message: /Secret not-there .* is not there/,
  })
  await rejects(t, start({ volume: { secret: key } }), { message: /Secret access has no key gone/ })
})

t.test('a single file of a volume', async t => {
  const { start, text } = processIn(t)
  await start({ volume: { secret: { secretName: 'access' } }, subPath: 'token' })
  t.equal(text(), 'abc')
})
