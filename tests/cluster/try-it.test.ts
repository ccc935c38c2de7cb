// The commands of docs/try-it.md and README.md beside `npm start`, as a new user types them, from the first one to the last.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { commandsOf, project, type Typing, typing } from '../harness/docs/pages.ts'
import { matches } from '../harness/matches.ts'
import { until } from '../harness/until.ts'

type Row = {
  readonly start: string
  /** What the command says, sooner or later. Without it the command must succeed at once. */
  readonly says?: RegExp
  /** The command is refused, with this text. */
  readonly refused?: RegExp
  /** Commands that are repeated first, until they say what the page tells the reader to wait for. */
  readonly after?: readonly { readonly command: string; readonly says: RegExp }[]
}

const plane = 'kubectl --kubeconfig .espalier/kubeconfig'
const phase = `${plane} get garden garden -o jsonpath='{.status.credentials.rotation.certificateAuthorities.phase}'`
const conditions = `${plane} get garden garden -o jsonpath='{.status.conditions[*].status}'`

/** What the page says about single commands. The first row that fits counts. */
const rows: readonly Row[] = [
  { start: `${plane} explain component.spec.source`, says: /helm[\s\S]*kustomize[\s\S]*manifests/ },
  { start: `${plane} -n shop get configmap greeting`, says: /^hello$/ },
  { start: `${plane} -n kcp-system get kyma outpost -o jsonpath='{range`, says: /telemetry 1\.3\.0 Ready/ },
  { start: `${plane} -n kcp-system get kyma outpost -o jsonpath='{.status.state}`, says: /^Warning: .*telemetri/ },
  { start: `${plane} -n bookshop get events`, says: /IstioSidecarRestarted/ },
  { start: `${plane} -n kyma-system get istio default -o jsonpath`, says: /^Warning: .*VirtualService/ },
  {
    start: `${plane} get garden garden -o jsonpath='{.status.lastOperation`,
    says: /successfully/,
    after: [{ command: conditions, says: /^True True True True True$/ }],
  },
  { start: `${plane} patch garden garden`, refused: /downgrade/ },
  {
    start: `${plane} annotate garden garden gardener.cloud/operation=rotate-ca-start`,
    after: [{ command: `${plane} -n garden get deployment virtual-garden-kube-controller-manager`, says: /1\/1/ }],
  },
  { start: `${plane} get garden garden -o jsonpath='{.status.credentials`, says: /^Prepared$/ },
  {
    start: `${plane} annotate garden garden confirmation`,
    after: [{ command: phase, says: /^Completed$/ }],
  },
  { start: 'npx espalier get', says: /Garden +garden/ },
  { start: 'npx espalier why', says: /Kyma kcp-system\/outpost/ },
  { start: 'npx espalier tree', says: /Deployment shop/ },
]

const says = async (t: Test, { run }: Typing, command: string, words: RegExp): Promise<void> => {
  const { text } = await until(
    () => run(command),
    ({ text }) => words.test(text.trim()),
  )
  matches(t, text.trim(), words, command)
}

const works = async (t: Test, user: Typing, commands: readonly string[]): Promise<void> => {
  t.ok(commands.length > 0)
  for (const command of commands) {
    const row = rows.find(({ start }) => command.startsWith(start))
    for (const { command: first, says: words } of row?.after ?? []) await says(t, user, first, words)
    if (row?.says) await says(t, user, command, row.says)
    else {
      const { code, text } = await user.run(command)
      if (row?.refused) matches(t, text, row.refused, command)
      else t.equal(code, 0, `${command}\n${text}`)
    }
  }
}

/** Runs `npm start` in the user's folder, and resolves as soon as it has said that it is ready. */
const started = (t: Test, { folder }: Typing): Promise<void> =>
  new Promise((resolve, reject) => {
    const state = join(folder, '.espalier')
    const { KUBECONFIG: _, ...env } = process.env
    const args = ['shared/main/start.ts', '--state', state, '--port', '0']
    const child = spawn(process.execPath, args, { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (more: string) => {
        text += more
        if (/^ready after/m.test(text)) resolve()
      })
    const ended = new Promise<void>(end => {
      child.once('close', () => {
        reject(new Error(text))
        end()
      })
    })
    t.teardown(() => {
      child.kill('SIGINT')
      return ended
    })
  })

t.test('FN-206 the commands of README.md and of docs/try-it.md do what the pages say, beside npm start', async t => {
  const user = await typing(t)
  await started(t, user)
  const isForSamples = (command: string): boolean => command.includes('--kubeconfig .espalier/')
  const readme = commandsOf('README.md').filter(isForSamples)
  await works(t, user, readme)
  const page = commandsOf('docs/try-it.md').filter(command => !command.startsWith('npm '))
  t.ok(page.every(isForSamples))
  await works(t, user, page)
  await says(t, user, `${plane} get gardens,istios -A`, /^No resources found$/)
})
