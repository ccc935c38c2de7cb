// Image and chart of an older commit are installed, and helm upgrades them to this commit while the webhooks are used.
import t from 'tap'
import manifest from '../../package.json' with { type: 'json' }
import { formerArchive, formerChart, formerTag } from '../harness/image/former.ts'
import { commandLine, installedPods, names, namespace, textComponent, textIn } from '../harness/node/installation.ts'
import { startNode } from '../harness/node/node.ts'
import { isReviewed, reviews } from '../harness/node/review-load.ts'
import { scratchFolder } from '../harness/processes/scratch.ts'
import { eventually, until } from '../harness/until.ts'

const { ESPALIER_NODE_IMAGES = '', ESPALIER_NODE_FORMER: former = '' } = process.env
const node = await startNode(scratchFolder(), [formerArchive(former), ...ESPALIER_NODE_IMAGES.split(':')])
t.teardown(() => Promise.all([node.api.close(), node.stop()]))
const installed = commandLine(node.kubeconfigPath)
const { kubectl, helm, applied, pods } = installed
const { untilAllReady, untilReplaced } = installedPods(installed)

const images = async (): Promise<string[]> => {
  const containers = (await pods(namespace)).flatMap(({ spec }) => spec.containers)
  return [...new Set(containers.map(({ image }) => image))]
}
const untilText = (name: string, text: string): Promise<string> =>
  until(
    () => textIn(installed, name),
    found => found === text,
    60,
  )

t.test('RE-83 helm upgrades an older commit to this one under 50 reviews a second, and none fails', async t => {
  await kubectl('create', 'namespace', 'shop')
  const release = ['espalier', '--namespace', namespace, '--create-namespace']
  await helm('install', ...release, formerChart(former), '--set', `image.tag=${formerTag}`)
  await untilAllReady()
  t.strictSame(await images(), [`espalier:${formerTag}`])
  await eventually('webhooks review', () => isReviewed(node.api), 60)
  await applied(textComponent('kept', 'before'))
  t.equal(await untilText('kept', 'before'), 'before')

  const before = names(await pods(namespace))
  const load = reviews(t, node.api, 50)
  const began = performance.now()
  await helm('upgrade', ...release, 'manifests/helm', '--reset-values')
  await applied(textComponent('kept', 'meanwhile'), textComponent('new', 'meanwhile'))
  await untilReplaced(before)
  t.comment(`all Pods were new and Ready after ${((performance.now() - began) / 1000).toFixed(1)} s`)
  const { sent, count, failures } = await load.stop()
  t.comment(sent)
  t.ok(count > 500, sent)
  t.strictSame(failures.slice(0, 5), [])
  t.strictSame(await images(), [`espalier:${manifest.version}`])
  for (const name of ['kept', 'new']) t.equal(await untilText(name, 'meanwhile'), 'meanwhile', name)
})
