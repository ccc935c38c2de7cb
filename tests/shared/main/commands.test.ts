// The table of commands, and what comes from it: help, completion, colours.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { commandsPage } from '../../../docs/generator/commands.ts'
import { type Command, coloured, common, flagsOf, runCommand } from '../../../shared/main/cli/command.ts'
import { commands } from '../../../shared/main/cli/commands.ts'
import { programRows } from '../../../shared/main/programs.ts'
import { contains } from '../../harness/matches.ts'
import { testFolder } from '../../harness/test-folder.ts'

const run = (...args: string[]) => runCommand(commands, args)
const folder = testFolder(t)

t.test('SEE-55 help of each command: usage, every option, two examples, 80 columns; the page has the same', async t => {
  const page = commandsPage()
  const overview = (await run('--help')).out
  for (const { name, sentence, options, examples } of commands) {
    const { out, code } = await run(name, '--help')
    t.equal(code, 0)
    t.ok(out.startsWith(`espalier ${name}`))
    for (const [option, about] of Object.entries(options))
      for (const text of [out, page]) contains(t, text, flagsOf(option, about))
    t.ok(examples.length >= 2 && examples.every(example => example.includes(`espalier ${name}`)), name)
    for (const part of [`## ${name}`, sentence, ...examples]) contains(t, page, part)
    contains(t, overview, `espalier ${name}`)
    const [help] = `${overview}${out}`.split('Examples:')
    t.strictSame(
      (help ?? '').split('\n').filter(line => line.length > 80),
      [],
      name,
    )
  }
})

/** All that may follow a command, as the table has it. */
const flagsFor = ({ options }: Pick<Command, 'options'>): string[] =>
  Object.entries({ ...options, ...common }).flatMap(([name, { short }]) => [
    `--${name}`,
    ...(short ? [`-${short}`] : []),
  ])

const names = [...commands, ...programRows].map(({ name }) => name)

t.test('SEE-55 bash completes each command and program, each option of a command, and kinds', async t => {
  const file = join(folder, 'completion.bash')
  writeFileSync(file, (await run('completion', 'bash')).out)
  const completions = (...words: string[]): string[] => {
    const line = `source ${file}; COMP_WORDS=(${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _espalier; echo "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', line], { encoding: 'utf8' }).trim().split(' ')
  }
  t.strictSame(completions('espalier', ''), names)
  for (const command of commands)
    t.strictSame(completions('espalier', command.name, '-').sort(), flagsFor(command).sort(), command.name)
  t.strictSame(completions('espalier', 'sus'), ['suspend'])
  t.strictSame(completions('espalier', 'why', 'ky'), ['kyma'])
  t.strictSame(completions('espalier', 'completion', 'f'), ['fish'])
})

t.test('SEE-55 scripts of zsh and fish have each command and program, and each option of a command', async t => {
  const zsh = (await run('completion', 'zsh')).out
  const described = /commands=\((.*)\)$/m.exec(zsh)?.[1] ?? ''
  t.strictSame(
    [...described.matchAll(/'([a-z-]+):/g)].map(([, name]) => name),
    names,
  )
  const fish = (await run('completion', 'fish')).out.split('\n')
  t.strictSame(
    fish.flatMap(line => /__fish_use_subcommand -a (\S+) /.exec(line)?.[1] ?? []),
    names,
  )
  for (const command of commands) {
    const { name } = command
    const words = new RegExp(`^ +${name}\\) compadd -- (.*) ;;$`, 'm').exec(zsh)?.[1]?.split(' ') ?? []
    t.strictSame(words.filter(word => word.startsWith('-')).sort(), flagsFor(command).sort(), `zsh: ${name}`)
    const lines = fish.filter(line => line.includes(`'__fish_seen_subcommand_from ${name}'`))
    const options = lines.flatMap(line => {
      const [, long, short] = / -l (\S+)(?: -s (\S+))?/.exec(line) ?? []
      return [...(long ? [`--${long}`] : []), ...(short ? [`-${short}`] : [])]
    })
    t.strictSame(options.sort(), flagsFor(command).sort(), `fish: ${name}`)
  }
})

t.test('SEE-55 quotes in the scripts end a text or are escaped; another shell is refused', async t => {
  for (const shell of ['zsh', 'fish']) {
    const { out } = await run('completion', shell)
    t.notOk(/[a-z]'[a-z]/.test(out.replaceAll("'\\''", '')), shell)
  }
  const { code, fault } = await run('completion', 'tcsh')
  t.equal(code, 2)
  contains(t, fault, 'expected bash, zsh or fish, found tcsh')
})

t.test('SEE-58 states are coloured where they stand as states, and nothing else', async t => {
  t.equal(coloured('failed    2m  Kyma a/b'), '\u001B[31mfailed\u001B[39m    2m  Kyma a/b')
  t.equal(coloured('Pod shop/a: waiting for 2m'), 'Pod shop/a: \u001B[33mwaiting\u001B[39m for 2m')
  t.equal(coloured('deleting  2m  Kyma a/b'), '\u001B[33mdeleting\u001B[39m  2m  Kyma a/b')
  t.equal(coloured('ready     2m  Kyma a/b'), '\u001B[32mready\u001B[39m     2m  Kyma a/b')
  t.equal(coloured('it is not ready, and has failed'), 'it is not ready, and has failed')
})

t.test('SEE-58 -o marks the answer as data, which is never coloured', async t => {
  t.equal((await run('--help')).isData, undefined)
  const command = {
    name: 'x',
    usage: '',
    sentence: '',
    options: {},
    examples: [],
    run: async () => ({ text: 'ready', code: 0 as const }),
  }
  t.strictSame(await runCommand([command], ['x', '-o', 'json']), { code: 0, out: 'ready\n', fault: '', isData: true })
})

t.test('SEE-58 no escape sequence from a cluster reaches a terminal; data stays as it is', async t => {
  const sent = '\u001b[2Ja\u202eb\u009bc\r\n\td'
  const shown = '\ufffd[2Ja\ufffdb\ufffdc\ufffd\n\td'
  const command = (isData?: boolean, isFailing = false): Command => ({
    name: 'x',
    usage: '',
    sentence: '',
    options: {},
    examples: [],
    run: async ({ print }) => {
      if (isFailing) throw new Error(sent)
      print(sent)
      return { text: sent, code: 0, ...(isData && { isData }) }
    },
  })
  const outputOf = async (one: Command, ...more: string[]) => {
    const printed: string[] = []
    const { out, fault } = await runCommand([one], ['x', ...more], text => printed.push(text))
    return [...printed, out, fault]
  }
  t.strictSame(await outputOf(command()), [`${shown}\n`, `${shown}\n`, ''])
  t.strictSame(await outputOf(command(), '-o', 'yaml'), [`${sent}\n`, `${sent}\n`, ''])
  t.strictSame((await outputOf(command(true)))[1], `${sent}\n`, 'such as objects that render writes for kubectl')
  t.strictSame(
    await outputOf(command(false, true), '-o', 'yaml'),
    ['', `espalier x: ${shown.replace('\ufffd\n\t', ' ')}\n`],
    'a fault is one line',
  )
})
