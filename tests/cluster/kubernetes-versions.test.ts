// The data about Kubernetes versions beside the programs themselves, for the version that is built here.
import { execFile } from 'node:child_process'
import t from 'tap'
import { admissionPluginKnown, featureGateKnown, kubernetesMinors } from '../../shared/api/kubernetes/versions.ts'
import { kubernetesRelease, type Program, program } from '../harness/binaries.ts'

const [, major = '', minorNumber = ''] = /^v?(\d+)\.(\d+)\./.exec(kubernetesRelease()) ?? []
const minor = `${major}.${minorNumber}`

const helpOf = (name: Program): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(program(name), ['--help'], { maxBuffer: 2 ** 24 }, (error, stdout, stderr) =>
      error ? reject(error) : resolve(stdout + stderr),
    )
  })

t.test('GA-34 every feature gate that the programs offer is known', async t => {
  t.ok(kubernetesMinors.includes(minor), minor)
  for (const name of ['kube-apiserver', 'kube-controller-manager'] as const) {
    const offered = [...(await helpOf(name)).matchAll(/(?:kube:)?([A-Z]\w+)=true\|false/g)].map(([, gate = '']) => gate)
    t.ok(offered.length > 100, `${name} offers ${offered.length}`)
    t.strictSame(
      offered.filter(gate => featureGateKnown(gate, minor) !== 'here'),
      [],
      name,
    )
  }
})

t.test('GA-29 every admission plugin that kube-apiserver offers is known', async t => {
  const [, list = ''] = /list of admission plugins: ([\w, ]+)\./.exec(await helpOf('kube-apiserver')) ?? []
  const offered = list.split(', ')
  t.ok(offered.length > 30)
  t.strictSame(
    offered.filter(plugin => admissionPluginKnown(plugin, minor) !== 'here'),
    [],
  )
})
