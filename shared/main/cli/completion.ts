// `espalier completion`: a script that completes commands, kinds and options in a shell, generated from the table of commands.
import { ourKinds } from '../../api/our-kinds.ts'
import { programRows } from '../programs.ts'
import { type Command, common, type Option, UsageFault } from './command.ts'

/** `others`: all other commands. Programs are completed as well. */
export const completionCommand = (others: readonly Command[]): Command => {
  const command: Command = {
    name: 'completion',
    usage: 'bash | zsh | fish',
    sentence: 'Prints a script that completes commands, kinds and options in this shell.',
    options: {},
    examples: [
      'source <(espalier completion bash)',
      'espalier completion fish > ~/.config/fish/completions/espalier.fish',
    ],
    run: async ({ words }) => {
      const [shell = '', ...more] = words
      const script = more.length === 0 ? scripts[shell] : undefined
      if (!script) throw new UsageFault(`expected bash, zsh or fish, found ${words.join(' ') || 'nothing'}`)
      return { text: script([...[...others, command].map(completed), ...programs]), code: 0 }
    },
  }
  return command
}

/** The words that may follow a command. */
type Completed = {
  readonly name: string
  readonly sentence: string
  readonly words: readonly string[]
  readonly options: readonly (readonly [name: string, Option])[]
}

const completed = ({ name, sentence, usage, options }: Command): Completed => ({
  name,
  sentence,
  words: usage.includes('KIND')
    ? ourKinds.map(({ kind }) => kind.toLowerCase())
    : usage.split(' ').filter(word => /^[a-z]+$/.test(word)),
  options: Object.entries({ ...options, ...common }),
})

/** Flags of programs are not completed; their --help lists them. */
const programs: readonly Completed[] = programRows.map(({ name, sentence }) => ({
  name,
  sentence,
  words: [],
  options: [],
}))

const flags = ({ options }: Completed): string[] =>
  options.flatMap(([name, { short }]) => [`--${name}`, ...(short ? [`-${short}`] : [])])

/** In single quotes, which all three shells understand. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const scripts: Readonly<Record<string, (commands: readonly Completed[]) => string>> = {
  bash: commands =>
    [
      '_espalier() {',
      '  local words',
      '  if [ "$COMP_CWORD" -eq 1 ]; then',
      `    words=${quoted(commands.map(({ name }) => name).join(' '))}`,
      '  else',
      `    case "\${COMP_WORDS[1]}" in`,
      ...commands.map(one => `      ${one.name}) words=${quoted([...one.words, ...flags(one)].join(' '))} ;;`),
      '    esac',
      '  fi',
      `  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
      '}',
      'complete -o default -F _espalier espalier',
    ].join('\n'),
  zsh: commands =>
    [
      '#compdef espalier',
      '_espalier() {',
      '  if (( CURRENT == 2 )); then',
      '    local -a commands',
      `    commands=(${commands.map(({ name, sentence }) => quoted(`${name}:${sentence}`)).join(' ')})`,
      "    _describe 'command' commands",
      '    return',
      '  fi',
      '  case "$words[2]" in',
      ...commands.map(one => `    ${one.name}) compadd -- ${[...one.words, ...flags(one)].join(' ')} ;;`),
      '  esac',
      '  _files',
      '}',
      'compdef _espalier espalier',
    ].join('\n'),
  fish: commands =>
    commands
      .flatMap(one => {
        const within = `complete -c espalier -n ${quoted(`__fish_seen_subcommand_from ${one.name}`)}`
        return [
          `complete -c espalier -f -n __fish_use_subcommand -a ${one.name} -d ${quoted(one.sentence)}`,
          ...(one.words.length > 0 ? [`${within} -a ${quoted(one.words.join(' '))}`] : []),
          ...one.options.map(
            ([name, { short, type, sentence }]) =>
              `${within} -l ${name}${short ? ` -s ${short}` : ''}${type === 'string' ? ' -r' : ''} -d ${quoted(sentence)}`,
          ),
        ]
      })
      .join('\n'),
}
