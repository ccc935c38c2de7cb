// The page of settings: those of host, relay and agent, each under its subject.

import type { Setting, SettingsTable } from '../../shared/core/settings/setting.ts'
import { settingsRows } from '../../shared/http/settings/config.ts'
import {
  artifactSettings,
  callbackSettings,
  hostSettings,
  renderSettings,
} from '../../shared/http/settings/host-settings.ts'
import { listenerSettings, programSettings } from '../../shared/http/settings/program-settings.ts'
import { relaySettings } from '../../shared/http/settings/relay-settings.ts'
import { runtimeWatcherSettings } from '../../shared/http/settings/runtime-watcher-settings.ts'
import { functionSettingsTable, ownDeclarations } from '../../shared/main/function-settings.ts'

const subjects: readonly { readonly title: string; readonly table: SettingsTable }[] = [
  { title: 'The program and its cluster', table: programSettings },
  { title: 'Listeners', table: listenerSettings },
  { title: 'Events from Kyma runtimes', table: callbackSettings },
  { title: 'Rendering', table: renderSettings },
  { title: 'Artifacts and registries', table: artifactSettings },
]

export const settingsPage = (): string =>
  [
    '# Settings',
    '',
    'Made by `npm run generate`. A flag overrides its variable, and the variable overrides the default. Put variables into `host.extraEnv` and',
    '`relay.extraEnv` of the chart. `--print-config` prints the values in use. What serverless.yml says of a function is in that file.',
    '',
    ...program('Host', hostSettings),
    ...ofFunctions(),
    ...program('Relay', relaySettings),
    ...program('Agent in a Kyma runtime', runtimeWatcherSettings),
  ].join('\n')

const program = (title: string, table: SettingsTable): string[] => {
  const bySubject = Map.groupBy(Object.values(table), setting => subjectOf(setting))
  const own = bySubject.get('')
  return [
    `## ${title}`,
    '',
    ...(own ? settingsRows(own) : []),
    ...subjects.flatMap(({ title: subject }) => {
      const settings = bySubject.get(subject)
      return settings ? [`### ${title}: ${subject}`, '', ...settingsRows(settings)] : []
    }),
  ]
}

/** Settings of the host that functions declare, under the names of these functions. */
const ofFunctions = (): string[] => {
  const table = functionSettingsTable(ownDeclarations, { functions: {} })
  const byNames = Map.groupBy(Object.values(table), ({ env }) => declaring(env).join(', '))
  return [...byNames].flatMap(([names, settings]) => [`### Host: ${names}`, '', ...settingsRows(settings)])
}

const declaring = (env: string): string[] =>
  ownDeclarations.flatMap(({ name, settings = {} }) =>
    Object.values(settings).some(setting => setting?.env === env) ? [name] : [],
  )

/** Empty: the program’s own. */
const subjectOf = ({ env }: Setting): string =>
  subjects.find(({ table }) => Object.values(table).some(one => one.env === env))?.title ?? ''
