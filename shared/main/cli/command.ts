// How a command is declared, found, explained and run, and how a program for a user's folder reads its flags. Exit codes of commands:
// 0 nothing to do, 1 something to do, 2 a fault.
import { type ParseArgsOptionsConfig, parseArgs, styleText } from 'node:util'
import { isLabel } from '../../core/objects/dns-name.ts'
import { errorText } from '../../core/text/error-text.ts'
import { withoutControls } from '../../core/text/text.ts'
import { yamlOf } from '../../core/yaml/write.ts'
import { columns, wrapped } from '../start/terminal.ts'

export type Command = {
  readonly name: string
  /** The arguments of the command. Example: `-f FILE | KIND NAME` */
  readonly usage: string
  readonly sentence: string
  /** The options of this command. The options of all commands are added. */
  readonly options: Readonly<Record<string, Option>>
  readonly examples: readonly string[]
  readonly run: (given: Given) => Promise<CommandResult>
}

export type Option = {
  readonly type: 'string' | 'boolean'
  readonly short?: string
  readonly sentence: string
  /** The placeholder of the value in help texts. */
  readonly value?: string
}

export type Given = {
  readonly options: Readonly<Record<string, string>>
  readonly words: readonly string[]
  /** Prints a text before the command ends. */
  print(text: string): void
}

export type CommandResult = {
  readonly text: string
  /** What `-o` shows instead of the text. */
  readonly data?: unknown
  readonly code: 0 | 1 | 2
  /** The text is for programs, even without `-o`. */
  readonly isData?: boolean
}

/** A fault that the user can correct. The message says how. */
export class UsageFault extends Error {
  override readonly name = 'UsageFault'
}

const outputs: readonly string[] = ['json', 'yaml']

/** The data in the format of `-o`, or the text without `-o`. */
export const shownAs = (output: string | undefined, { data, text }: Pick<CommandResult, 'data' | 'text'>): string => {
  if (output === undefined || data === undefined) return text
  return output === 'json' ? JSON.stringify(data, null, 2) : yamlOf(data).trimEnd()
}

/** The options of every command. */
export const common: Readonly<Record<string, Option>> = {
  namespace: {
    type: 'string',
    short: 'n',
    value: 'NAME',
    sentence: "The namespace; otherwise the namespace of the kubeconfig's context, or default",
  },
  kubeconfig: {
    type: 'string',
    value: 'FILE',
    sentence: 'The kubeconfig file; otherwise KUBECONFIG, or ~/.kube/config',
  },
  context: { type: 'string', value: 'NAME', sentence: 'The context of the kubeconfig; otherwise its current context' },
  output: { type: 'string', short: 'o', value: 'json|yaml', sentence: 'Prints the result as data instead of text' },
  help: { type: 'boolean', short: 'h', sentence: 'Prints this help' },
}

/** The result of a program's run: the texts of both outputs, and the exit code. `isData`: the text is for programs. */
type CommandRun = { readonly code: number; readonly out: string; readonly fault: string; readonly isData?: boolean }

/** Never rejects. */
export const runCommand = async (
  commands: readonly Command[],
  args: readonly string[],
  print: (text: string, isData?: boolean) => void = () => {},
  programs: readonly Listed[] = [],
): Promise<CommandRun> => {
  const [name, ...rest] = args
  const command = commands.find(one => one.name === name)
  if (!command) return withoutCommand(commands, name, programs)
  try {
    const line = parsed(command, rest)
    const isAsked = line.options.output !== undefined
    const given = { ...line, print: (text: string) => print(shownIn(text, isAsked), isAsked) }
    if (given.options.help !== undefined) return answer(helpOf(command), 0)
    const result = await command.run(given)
    const { code, isData = isAsked } = result
    return { code, out: shownIn(shownAs(given.options.output, result), isData), fault: '', ...(isData && { isData }) }
  } catch (error) {
    return fault(`espalier ${command.name}: ${errorText(error)}`)
  }
}

/** Removes escape sequences, because text from a cluster may contain some that the terminal would execute. Data does not change. */
const shownIn = (text: string, isData: boolean): string => `${isData ? text : withoutControls(text)}\n`

const answer = (text: string, code: number): CommandRun => ({ code, out: `${text}\n`, fault: '' })

/** The fault in one line, for scripts and logs. Libraries append excerpts of a file after their sentence. */
const fault = (text: string): CommandRun => ({
  code: 2,
  out: '',
  fault: shownIn(text.trim().replaceAll(/\s*\n\s*/g, ' '), false),
})

/** A program of the command `espalier`, which other code runs. */
type Listed = Pick<Command, 'name' | 'sentence'>

const withoutCommand = (
  commands: readonly Command[],
  name: string | undefined,
  programs: readonly Listed[],
): CommandRun => {
  const isAsked = name === undefined || ['help', '--help', '-h'].includes(name)
  if (isAsked) return answer(overview(commands, programs), name === undefined ? 2 : 0)
  const known = [...commands, ...programs].map(command => command.name).join(', ')
  return fault(`espalier: there is no command ${name}; commands are ${known}. See espalier --help`)
}

const parsed = (command: Command, args: readonly string[]): Omit<Given, 'print'> => {
  const options = { ...command.options, ...common }
  const types = Object.fromEntries(
    Object.entries(options).map(([name, { type, short }]) => [name, short ? { type, short } : { type }]),
  )
  const { values, positionals } = flagsIn(args, { command: command.name, options: types, allowPositionals: true })
  const texts = Object.entries(values).map(([name, value]) => [name, String(value)])
  return checked(command, { options: Object.fromEntries(texts), words: wordsIn(positionals, command) })
}

/** KIND and NAME. Splits `component/shop`, which is kubectl's notation. */
const wordsIn = (words: readonly string[], { usage }: Command): readonly string[] =>
  usage.endsWith('KIND NAME') && words.length === 1 ? words.flatMap(word => word.split('/')) : words

type Flags<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: boolean }>
>

type OwnProgram<Options extends ParseArgsOptionsConfig> = {
  readonly name: string
  readonly usage: string
  readonly options: Options
  readonly allowPositionals?: boolean
  /** The exit code after a fault. Default: 1. */
  readonly faultCode?: number
  /** Resolves with the exit code. undefined means 0. */
  readonly run: (given: Flags<Options>) => Promise<number | undefined> | Promise<void>
}

export const beginOwn = async <Options extends ParseArgsOptionsConfig>(program: OwnProgram<Options>): Promise<void> => {
  const { name, usage, allowPositionals = false, faultCode = 1 } = program
  try {
    const options = { ...program.options, help: { type: 'boolean', short: 'h' } } as const
    const given = flagsIn(process.argv.slice(2), { command: name, options, allowPositionals })
    const { help } = given.values as { readonly help?: boolean }
    if (help) process.stdout.write(usage)
    else process.exitCode = (await program.run(given as Flags<Options>)) ?? 0
  } catch (error) {
    process.stderr.write(`${name}: ${errorText(error)}\n`)
    process.exitCode = faultCode
  }
}

/** Throws a UsageFault that names the flag. */
const flagsIn = <Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  given: { command: string; options: Options; allowPositionals: boolean },
) => {
  try {
    return parseArgs({ args: [...args], ...given })
  } catch (error) {
    throw new UsageFault(`${flagFault(errorText(error))}; see espalier ${given.command} --help`)
  }
}

/** Keeps only the first sentence, because the advice in parseArgs' other sentences does not apply to our programs. */
const flagFault = (text: string): string => {
  const [first = ''] = text.split(/\.(?:\s|$)/)
  return first.replace('argument is ambiguous', 'argument missing')
}

/** Checks options before a command reads or writes anything. */
const checked = ({ usage }: Command, line: Omit<Given, 'print'>): Omit<Given, 'print'> => {
  const { output, namespace } = line.options
  if (output !== undefined && !outputs.includes(output)) throw new UsageFault(`-o is ${output}: expected json or yaml`)
  if (namespace !== undefined && !isLabel(namespace))
    throw new UsageFault(`-n is ${namespace}: expected the name of a namespace, such as default`)
  const takesWords = /(^|\s)[^-\s]/.test(usage)
  if (!takesWords && line.words.length > 0) throw new UsageFault(`expected no argument, found ${line.words.join(' ')}`)
  return line
}

const overview = (commands: readonly Command[], programs: readonly Listed[]): string =>
  [
    'espalier shows the state of objects of Espalier and the planned steps, and calls',
    'or suspends functions for an object. It needs a kubeconfig and no host.',
    '',
    ...commands.map(({ name, usage, sentence }) => listed(`${name} ${usage}`, sentence)),
    '',
    ...(programs.length > 0 ? ['For operators of your own, in the folder of a serverless.yml:', ''] : []),
    ...programs.map(({ name, sentence }) => listed(name, sentence)),
    ...(programs.length > 0 ? [''] : []),
    'espalier COMMAND --help explains a command.',
    'Exit codes: 0 nothing to do, 1 something to do, 2 an error.',
  ].join('\n')

const listed = (call: string, sentence: string): string =>
  `  ${`espalier ${call}`.trim()}\n${wrapped(`      ${sentence}`, 6, columns)}`

const helpOf = ({ name, usage, sentence, options, examples }: Command): string =>
  [
    `espalier ${name} ${usage}`.trim(),
    '',
    wrapped(sentence, 0, columns),
    '',
    ...Object.entries({ ...options, ...common }).map(optionLine),
    '',
    'Examples:',
    ...examples.map(example => `  ${example}`),
  ].join('\n')

const optionLine = ([name, option]: [string, Option]): string =>
  wrapped(`  ${flagsOf(name, option).padEnd(26)} ${option.sentence}`, 29, columns)

/** For example, `-n, --namespace NAME`. */
export const flagsOf = (name: string, { short, value }: Option): string =>
  `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`

const styles = {
  failed: 'red',
  fault: 'red',
  missing: 'red',
  unknown: 'red',
  deleting: 'yellow',
  waiting: 'yellow',
  warning: 'yellow',
  suspended: 'cyan',
  ready: 'green',
  ok: 'green',
} as const satisfies Readonly<Record<string, Parameters<typeof styleText>[0]>>

/** A state at the beginning of a line, or after a colon. Example: `Pod shop/a: failed for 2m` */
const state = new RegExp(`(^|: )(${Object.keys(styles).join('|')})(?= |$)`, 'gm')

export const coloured = (text: string): string =>
  text.replace(
    state,
    (_, before: string, word: keyof typeof styles) =>
      `${before}${styleText(styles[word], word, { validateStream: false })}`,
  )
