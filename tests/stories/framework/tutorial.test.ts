// docs/guides/your-first-operator.md, from its first step to its last, as somebody would do it with the package alone.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import {
  done,
  fetchedProgram,
  going,
  install,
  installedIn,
  packedPackage,
  project,
} from '../../harness/framework/package.ts'
import { contains, lacks, matches } from '../../harness/matches.ts'

type TutorialStep =
  | { readonly is: 'command'; readonly line: string }
  | { readonly is: 'file'; readonly path: string; readonly text: string }
  | { readonly is: 'change'; readonly path: string; readonly lines: readonly string[] }

/** Commands are in blocks without a language; a file is in the block behind the sentence that names the file to replace. */
const stepsOf = (page: string): TutorialStep[] => {
  const blocks = [...page.matchAll(/([^\n]*(?:\n[^\n]+)*)\n\n```(\w*)\n([\s\S]*?)```/g)]
  return blocks.flatMap(([, before = '', language = '', text = '']): TutorialStep[] => {
    if (language === '')
      return text
        .trim()
        .split('\n')
        .map(line => ({ is: 'command', line }))
    const path = [...before.matchAll(/[Rr]eplace `([\w./-]+)`|In `([\w./-]+)`/g)].at(-1)
    const file = path?.[1] ?? path?.[2]
    if (file === undefined) return []
    return [
      language === 'diff'
        ? { is: 'change', path: file, lines: text.trimEnd().split('\n') }
        : { is: 'file', path: file, text },
    ]
  })
}

t.test('FW-41 every step of the tutorial works as it is written', async t => {
  const { tarball } = await packedPackage()
  const start = await installedIn(t, tarball)
  let folder = start
  const steps = stepsOf(readFileSync(join(project, 'docs', 'guides', 'your-first-operator.md'), 'utf8'))
  t.strictSame(
    ['command', 'file', 'change'].map(kind => steps.filter(({ is }) => is === kind).length),
    [13, 16, 4],
    'all blocks of the page are understood',
  )
  for (const step of steps) {
    if (step.is === 'file') {
      mkdirSync(dirname(join(folder, step.path)), { recursive: true })
      writeFileSync(join(folder, step.path), step.text)
    } else if (step.is === 'change') change(t, join(folder, step.path), step.lines)
    else if (step.line.startsWith('cd ')) folder = join(folder, step.line.slice(3))
    else if (step.line === 'npm install') await install(folder, tarball)
    else if (step.line === 'npx espalier start') await starts(t, folder)
    else {
      const [program = '', ...args] = step.line.split(' ')
      const text = await done(folder, program, ...args)
      if (step.line === 'npm test') matches(t, text, /fail 0\n/)
    }
  }
  t.equal(await done(folder, await fetchedProgram('checks', 'tsc'), '--project', folder), '', 'the types are right')
  const running = going(t, folder, 'start', '--port', '0')
  await running.says(
    /serves webhook-certificate, shop, backup-check, order\n[\s\S]*BackupCheck default\/sample: .* 1970/,
  )
})

/** Lines of a diff: those with a minus go, those with a plus come in their place. */
const change = (t: Test, file: string, lines: readonly string[]): void => {
  const text = readFileSync(file, 'utf8')
  const without = (mark: string) =>
    lines
      .filter(line => !line.startsWith(mark))
      .map(line => `${line.replace(/^[-+]/, '')}\n`)
      .join('')
  contains(t, text, without('+'))
  writeFileSync(file, text.replace(without('+'), without('-')))
}

const starts = async (t: Test, folder: string): Promise<void> => {
  const running = going(t, folder, 'start', '--port', '0')
  const text = await running.says(/ready after .*\n/)
  lacks(t, text, 'except')
  t.equal(await running.interrupt(), 0)
}
