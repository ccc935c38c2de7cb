// The console of `npm start` in a real Chromium: as a person sees it, with the keyboard, at two widths, dark and light, and without JavaScript.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createClient } from '../../shared/kube/client/client.ts'
import { parseKubeconfig } from '../../shared/kube/kubeconfigs/kubeconfig.ts'
import { chromium, type Page } from '../harness/browser.ts'
import { contains, matches } from '../harness/matches.ts'
import { eventually } from '../harness/until.ts'

const root = join(import.meta.dirname, '..', '..')
const state = t.testdir()
const images = join(root, 'docs', 'images')
mkdirSync(images, { recursive: true })

const { KUBECONFIG: _, ...environment } = process.env
const program = spawn(process.execPath, ['shared/main/start.ts', '--state', state, '--port', '0'], {
  cwd: root,
  env: environment,
  stdio: 'ignore',
})
const ended = new Promise(resolve => program.once('exit', resolve))
t.teardown(async () => {
  program.kill('SIGINT')
  await ended
})

const invitation = join(state, 'console-url')
await eventually('the console is there', async () => existsSync(invitation))
const { browser, axe } = await chromium(t)
const entrance = await browser.newContext()
const first = await entrance.newPage()
const link = readFileSync(invitation, 'utf8').trim()
const base = new URL(link).origin
await first.goto(link)
await first.waitForURL(`${base}/`)
const storageState = await entrance.storageState()
t.teardown(() => entrance.close())

const verdict = parseKubeconfig(readFileSync(join(state, 'kubeconfig'), 'utf8'), { allowedHosts: ['127.0.0.1'] })
if ('refused' in verdict) throw new Error(verdict.refused.sentence)
const client = createClient(verdict.access)
t.teardown(client.close)

const shop = '/object/core.espalier.dev/v1alpha1/Component/shop/shop'
const garden = '/object/operator.gardener.cloud/v1alpha1/Garden/-/garden'
const kyma = '/object/operator.kyma-project.io/v1beta2/Kyma/kcp-system/outpost'
/** Those that docs/console.md shows. */
const shown = ['overview-light-1440', 'shop-dark-1440', 'garden-light-1440']

const pages = { overview: '/', shop, kyma, garden, landscape: '/landscape' }

/** Asked by the debugger, since the policy of the page lets nobody evaluate text. A page that is left meanwhile cannot say. */
const isSo = (page: Page, what: string, code: string) =>
  eventually(what, () => page.evaluate<boolean>(code).catch(() => false))

const shows = (page: Page, text: string) =>
  isSo(page, text, `document.body.innerText.includes(${JSON.stringify(text)})`)

/** What the browser complains of: scripts, and whatever the policy of the page forbids. */
const complaintsOf = (page: Page): string[] => {
  const complaints: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' && !/status of (401|404)/.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', error => void complaints.push(String(error)))
  return complaints
}

await eventually('the shop has its waves', async () => {
  await first.goto(base + shop)
  return (await first.content()).includes('Wave 3')
})
await eventually('the steps of the Garden were judged', async () => {
  await first.goto(base + garden)
  return (await first.content()).includes('class="graph"')
})

type Finding = { readonly id: string; readonly nodes: readonly { readonly html: string }[] }

for (const colorScheme of ['light', 'dark'] as const)
  for (const width of [320, 1440])
    t.test(
      `SEE-80 ${colorScheme}, ${width} px: no finding of axe, nothing too wide, no complaint of the browser`,
      async t => {
        const context = await browser.newContext({
          colorScheme,
          viewport: { width, height: 900 },
          storageState,
          reducedMotion: 'reduce',
        })
        t.teardown(() => context.close())
        const strangers = await browser.newContext({
          colorScheme,
          viewport: { width, height: 900 },
          reducedMotion: 'reduce',
        })
        t.teardown(() => strangers.close())
        for (const [name, path] of [...Object.entries(pages), ['login', '/']] as const) {
          const page = await (name === 'login' ? strangers : context).newPage()
          const complaints = complaintsOf(page)
          await page.goto(base + path)
          await page.evaluate<void>(axe)
          const found = await page.evaluate<Finding[]>('axe.run().then(({ violations }) => violations)')
          t.strictSame(
            found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`),
            [],
            `${name}: axe`,
          )
          const tooWide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
          t.equal(await page.evaluate<number>(tooWide), 0, `${name}: width`)
          t.equal(await page.evaluate<number>('document.getAnimations().length'), 0, `${name}: nothing moves`)
          t.strictSame(complaints, [], name)
          const picture = `${name}-${colorScheme}-${width}`
          if (shown.includes(picture))
            await page.screenshot({ path: join(images, `console-${picture}.png`), fullPage: true })
          await page.close()
        }
      },
    )

t.test('SEE-80 with the keyboard alone: past the navigation, to an object, and back', async t => {
  const context = await browser.newContext({ storageState })
  t.teardown(() => context.close())
  const page = await context.newPage()
  await page.goto(`${base}/`)
  const focused = () => page.evaluate<string>('document.activeElement.outerHTML.slice(0, 200)')
  await page.keyboard.press('Tab')
  contains(t, await focused(), 'Skip to content')
  await page.keyboard.press('Enter')
  t.equal(await page.evaluate<string>('document.activeElement.id'), 'main')
  for (let at = 0; at < 12 && !(await focused()).includes('href="/object/'); at++) await page.keyboard.press('Tab')
  contains(t, await focused(), 'href="/object/')
  const outline = await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle')
  t.equal(outline, 'solid', 'the focus is seen')
  await page.keyboard.press('Enter')
  await shows(page, 'Look closer')
  matches(t, page.url(), /\/object\//)
})

t.test('FN-92 SEE-80 a new Component is seen to become ready, in a page that is not loaded again', async t => {
  const context = await browser.newContext({ storageState })
  t.teardown(() => context.close())
  const page = await context.newPage()
  const complaints = complaintsOf(page)
  await page.goto(`${base}/?kind=Component`)
  await shows(page, 'Live: changes show by themselves.')
  await page.evaluate('window.isSame = true')
  const manifests = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'seen-live' } }]
  await client.create(
    {
      apiVersion: 'core.espalier.dev/v1alpha1',
      kind: 'Component',
      metadata: { name: 'seen-live', namespace: 'shop' },
      spec: { source: { manifests } },
    },
    { fieldManager: 'person' },
  )
  await shows(page, 'shop/seen-live')
  await isSo(
    page,
    'it is ready',
    `[...document.querySelectorAll('.row.ready')].some(row => row.innerText.includes('shop/seen-live'))`,
  )
  t.equal(await page.evaluate<boolean>('window.isSame'), true)
  t.strictSame(complaints, [])
})

t.test('SEE-80 without JavaScript every page is complete', async t => {
  const context = await browser.newContext({ storageState, javaScriptEnabled: false })
  t.teardown(() => context.close())
  const page = await context.newPage()
  for (const [path, part] of [
    ['/', 'class="row '],
    [shop, 'Wave 3'],
    [garden, 'class="graph"'],
    ['/landscape', 'Functions of this process'],
  ] as const) {
    await page.goto(base + path)
    contains(t, await page.content(), part)
  }
})
