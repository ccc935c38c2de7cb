// The page of the command line: each command with its options and examples.
import { type Command, common, flagsOf, type Option } from '../../shared/main/cli/command.ts'
import { commands } from '../../shared/main/cli/commands.ts'
import { programRows } from '../../shared/main/programs.ts'

export const commandsPage = (): string =>
  [
    '# Command line',
    '',
    'Made by `npm run generate`. A command needs a kubeconfig, but no running host; `render` and `completion` need neither. With',
    '`kubectl-espalier` of this package in the PATH, `kubectl espalier COMMAND` is the same. Exit codes, unless a command says otherwise: 0 nothing to do,',
    '1 something to do, 2 a fault.',
    '',
    'Every command has these options:',
    '',
    ...optionTable(common),
    ...commands.flatMap(section),
    '## Programs',
    '',
    'They work in the folder of a serverless.yml, as of an operator of your own. `espalier PROGRAM --help` lists the flags.',
    '',
    '| program | what it does |',
    '|---|---|',
    ...programRows.map(({ name, sentence }) => `| \`espalier ${name}\` | ${sentence} |`),
    '',
  ].join('\n')

const section = ({ name, usage, sentence, options, examples }: Command): string[] => [
  `## ${name}`,
  '',
  sentence,
  '',
  '```',
  `espalier ${name} ${usage}`.trim(),
  '```',
  '',
  ...(Object.keys(options).length > 0 ? optionTable(options) : []),
  'Examples:',
  '',
  '```',
  ...examples,
  '```',
  '',
]

const optionTable = (options: Command['options']): string[] => [
  '| option | what it is |',
  '|---|---|',
  ...Object.entries(options).map(([name, option]: [string, Option]) =>
    `| \`${flagsOf(name, option)}\` | ${option.sentence} |`.replaceAll('json|yaml', 'json\\|yaml'),
  ),
  '',
]
