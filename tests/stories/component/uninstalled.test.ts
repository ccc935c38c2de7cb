// What is left when Espalier is uninstalled before its Components, and the command that functions/component/README.md has for that.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { componentGround } from '../../harness/component/component-ground.ts'
import { crd, established } from '../../harness/component/orchards.ts'
import { matches } from '../../harness/matches.ts'
import { oracles } from '../../harness/oracles.ts'
import { testFolder } from '../../harness/test-folder.ts'
import { configMap } from '../../make/component/component.ts'

const ground = await componentGround(t)
const { client, cluster, namespace } = ground
const finalizer = 'component.core.espalier.dev'
const page = readFileSync(join(import.meta.dirname, '../../../functions/component/README.md'), 'utf8')

const shownCommand = (): string => {
  const [, section = ''] = page.split('## After Espalier is gone')
  const [, command] = /```bash\n(.*?)```/s.exec(section) ?? []
  if (command === undefined) throw new Error('the page shows no command')
  return command
}

t.test(
  'CO-132 the command of the page lets Components go after Espalier is gone, and keeps what they installed',
  async t => {
    const group = 'left.example'
    const definition = crd(group, 'Nut', 'nuts')
    const foreign = 'example.com/held'
    for (const name of ['deleted', 'held', 'living'])
      await ground.create(name, { source: { manifests: [configMap(`of-${name}`)] } })
    await ground.create('defining', { source: { manifests: [definition] } })
    for (const name of ['deleted', 'held', 'living']) matches(t, await ground.settled(name), { state: 'Ready' })
    await ground.settle('defining')
    await established(client, definition)
    await ground.change('held', { metadata: { finalizers: [foreign, finalizer] } })
    for (const name of ['deleted', 'held', 'defining']) await ground.remove(name)
    const ref = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      namespace: '',
      name: `nuts.${group}`,
    }
    await client.delete(ref, {})
    t.ok(await client.get(ref), 'nothing goes by itself')
    t.ok(await ground.read('deleted'))

    const folder = testFolder(t)
    const kubeconfig = join(folder, 'kubeconfig')
    writeFileSync(kubeconfig, cluster.kubeconfig)
    const { kubectl } = await oracles()
    const env = { PATH: `${dirname(kubectl)}:/usr/bin:/bin`, HOME: folder, KUBECONFIG: kubeconfig }
    await promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', shownCommand()], { env })

    const finalizersOf = (object: KubeObject | undefined) => object && (object.metadata.finalizers ?? [])
    t.equal(await ground.read('deleted'), undefined)
    t.equal(await ground.read('defining'), undefined)
    t.strictSame(finalizersOf(await ground.read('held')), [foreign])
    t.strictSame(finalizersOf(await ground.read('living')), [])
    t.notOk(finalizersOf(await client.get(ref))?.includes(finalizer))
    for (const name of ['of-deleted', 'of-held', 'of-living'])
      t.ok(await ground.live('ConfigMap', name), `${name} in ${namespace}`)
  },
)
