// Settings that functions of one's own declare: what they get, what the host says of them, and what is refused.
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Landscape } from '../../../shared/api/serverless.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { settingsTable } from '../../../shared/core/settings/setting.ts'
import { textShape } from '../../../shared/core/settings/shapes.ts'
import { deployManifests } from '../../../shared/deploy/manifests/manifests.ts'
import { settingsFrom } from '../../../shared/http/settings/config.ts'
import { functionSettingsTable, settingsByFunction, withVariables } from '../../../shared/main/function-settings.ts'
import { landscapeIn } from '../../../shared/main/landscape.ts'
import { startOperator } from '../../../shared/main/own/operator.ts'
import { servedFunctions } from '../../../shared/main/own/own-functions.ts'
import { tryFunction } from '../../../shared/main/own/trial.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { project, shell } from '../../harness/framework/package.ts'
import { contains, matches, throws } from '../../harness/matches.ts'
import { testFolder } from '../../harness/test-folder.ts'

const folder = join(import.meta.dirname, 'sizes')
const landscape = await landscapeIn(folder)
const functions = await servedFunctions(['sized', 'shelf'], landscape, folder)

const read = async (flags: string[], environment: Record<string, string> = {}) => {
  const reading = settingsFrom(functionSettingsTable(functions, landscape), { program: 'host', flags, environment })
  return reading.is === 'settings' ? settingsByFunction(functions, reading.settings) : reading
}

const one = (name: string): ReconcileFunction => ({
  does: 'reconcile',
  name,
  kind: { apiVersion: 'v1', kind: 'ConfigMap' },
  gather: async () => ({}),
  decide: () => ({ steps: [], status: {}, events: [], next: { is: 'settled' } }),
})

const configMap = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name, labels: { sized: 'yes' } },
})

t.test(
  'FW-04 a setting has the value of its flag, else of its variable, else of serverless.yml, else its default',
  async t => {
    const values = async (...given: Parameters<typeof read>) => {
      const of = await read(...given)
      return typeof of === 'function' ? { ...of({ name: 'sized' }), ...of({ name: 'shelf' }) } : of
    }
    const usual = { mostItems: 7, unit: 'pieces', counted: 'pieces', password: undefined, wood: 'oak' }
    t.strictSame(await values([]), usual)
    const environment = {
      ESPALIER_SIZED_MOST_ITEMS: '8',
      ESPALIER_SIZED_PASSWORD: 'sesame',
      ESPALIER_SHELF_WOOD: 'ash',
    }
    t.strictSame(await values([], environment), { ...usual, mostItems: 8, password: 'sesame', wood: 'ash' })
    t.strictSame(await values(['--sized-most-items=9'], environment), {
      ...usual,
      mostItems: 9,
      password: 'sesame',
      wood: 'ash',
    })
    const refused = await values(['--shelf-wood=stone'])
    t.strictSame(refused, {
      is: 'faults',
      faults: [
        '--shelf-wood is "stone": expected one of oak, ash. Set the flag --shelf-wood or the environment variable ESPALIER_SHELF_WOOD.',
      ],
    })
  },
)

t.test('FW-04 functions, tests and trials get the values', async t => {
  const operator = await startOperator({ folder })
  t.teardown(() => operator.stop())
  await operator.create(configMap('a'))
  await operator.until(configMap('a'), ({ metadata }) => metadata.annotations?.size === '8 pieces open')
  const shelf = { apiVersion: 'example.org/v1', kind: 'Shelf', metadata: { namespace: 'default', name: 'b' }, spec: {} }
  await operator.create(shelf)
  await operator.until(configMap('b'), ({ data }) => (data as { wood: string }).wood === 'oak')
  const { lost, refused } = await tryFunction({
    folder,
    function: 'sized',
    object: configMap('a'),
    stages: [
      {
        change: people => people.create(configMap('a')),
        until: found => found?.metadata.annotations?.size === '8 pieces open',
      },
    ],
  })
  t.strictSame({ lost, refused }, { lost: [], refused: [] })
})

t.test(
  'FW-04 a host lists settings of the functions in the folder, and its Deployment has what serverless.yml says',
  async t => {
    const host = (...flags: string[]) =>
      shell(project, 'node', 'shared/main/host.ts', '--landscape', join(folder, 'serverless.yml'), ...flags)
    const [help, values] = await Promise.all([
      host('--help', '--functions=sized'),
      host('--print-config', '--sized-unit=boxes'),
    ])
    contains(t, help.text, '--sized-most-items, ESPALIER_SIZED_MOST_ITEMS\n      How many items there are at most')
    contains(t, help.text, 'whole items from 1 to 99; default "7"')
    contains(t, values.text, 'sizedUnit = "boxes"  # flag: ESPALIER_SIZED_UNIT')
    contains(t, values.text, 'shelfWood = "oak"  # default: ESPALIER_SHELF_WOOD')
    t.notOk(help.text.includes('--shelf-wood'), 'those of the functions that it serves alone')
    const variables = (name: string): unknown[] => {
      const objects = deployManifests(withVariables(landscape, functions), '1.0.0', []).flatMap(
        file => file.objects,
      ) as KubeObject[]
      const found = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name)
      const env = JSON.stringify(found?.spec).matchAll(/\{"name":"(ESPALIER_S(?:IZED|HELF)_\w+)","value":"([^"]*)"\}/g)
      return [...env].map(([, variable, value]) => ({ name: variable, value }))
    }
    const given = [
      { name: 'ESPALIER_SIZED_MOST_ITEMS', value: '7' },
      { name: 'ESPALIER_SIZED_UNIT', value: 'pieces' },
    ]
    t.strictSame([variables('host'), variables('sized'), variables('shelf')], [given, given, []])
  },
)

t.test('FW-36 npm run generate takes the settings that the serverless.yml of this repository states', async t => {
  const copy = testFolder(t)
  for (const name of ['functions', 'shared', 'docs', 'manifests', 'node_modules', 'package.json'])
    symlinkSync(join(project, name), join(copy, name))
  const text = readFileSync(join(project, 'serverless.yml'), 'utf8')
  const generate = (settings: string) => {
    const stated = text.replace(/^ {2}istio:\n/m, line => `${line}    settings: ${settings}\n`)
    writeFileSync(join(copy, 'serverless.yml'), stated)
    const inCopy = ['--preserve-symlinks', '--preserve-symlinks-main']
    return shell(copy, 'node', ...inCopy, 'shared/main/generate.ts', '--into', 'out')
  }
  t.equal((await generate('{ fips: "true" }')).code, 0)
  for (const file of ['deploy/one-host/host.yaml', 'deploy/per-function/istio.yaml'])
    matches(t, readFileSync(join(copy, 'out', file), 'utf8'), /name: KYMA_FIPS_MODE_ENABLED\n +value: "true"/, file)
  matches(t, await generate('{ fips: "maybe" }'), {
    code: 1,
    text: /^serverless\.yml is refused:\n {2}functions\.istio\.settings\.fips: found "maybe"; allowed: one of true, false\n$/,
  })
})

t.test('FW-08 a setting of two functions is one setting, with one flag and one variable', async t => {
  const bucket = (sentence = 'Where backups are') =>
    settingsTable({ bucket: { sentence, shape: textShape('a name'), default: 'backups' } }, 'backup')
  const [save, load] = [one('backup-save'), one('backup-load')].map(made => ({ ...made, settings: bucket() }))
  if (!save || !load) throw new Error('there are two functions')
  const stating = (...settings: (Record<string, string> | undefined)[]): Landscape => {
    const { shelf } = landscape.functions
    if (!shelf) throw new Error('there is no function shelf')
    const both = [save, load].map(({ name }, at) => [
      name,
      { ...shelf, ...(settings[at] && { settings: settings[at] }) },
    ])
    return { ...landscape, functions: { ...landscape.functions, ...Object.fromEntries(both) } }
  }
  const stated = stating(undefined, { bucket: 'elsewhere' })
  const table = functionSettingsTable([save, load], stated)
  t.strictSame(Object.keys(table), ['backupBucket'])
  const valueFor = async (...flags: string[]) => {
    const reading = settingsFrom(table, { program: 'host', flags, environment: {} })
    if (reading.is !== 'settings') return reading
    const of = await settingsByFunction([save, load], reading.settings)
    return [of(save), of(load)]
  }
  const both = (bucket: string) => [{ bucket }, { bucket }]
  t.strictSame(await valueFor(), both('elsewhere'))
  t.strictSame(await valueFor('--backup-bucket=here'), both('here'))
  const { functions: served } = withVariables(stated, [save, load])
  for (const { name } of [save, load])
    t.strictSame(served[name]?.environment, { ESPALIER_BACKUP_BUCKET: 'elsewhere' }, name)
  throws(t, () => functionSettingsTable([save, load], stating({ bucket: 'a' }, { bucket: 'b' })), {
    message:
      'serverless.yml is refused:\n  functions.backup-load.settings.bucket: found "b"; allowed: "a", the value in functions.backup-save.settings.bucket, because it is the same setting',
  })
  throws(t, () => functionSettingsTable([save, { ...load, settings: bucket('Something else') }], landscape), {
    message:
      'serverless.yml is refused:\n  the setting bucket of functions/backup-load/index.ts: found the variable ESPALIER_BACKUP_BUCKET of functions/backup-save/index.ts; allowed: another name',
  })
})

t.test(
  'FW-09 what a function makes of its settings at the start is in its settings, and a fault ends the host',
  async t => {
    const host = (...flags: string[]) =>
      shell(project, 'node', 'shared/main/host.ts', '--landscape', join(folder, 'serverless.yml'), ...flags)
    const { code, text } = await host('--functions=sized', '--sized-unit=pair', '--api-server=http://127.0.0.1:1')
    t.strictSame([code, text], [1, 'host: mostItems is 7: expected pairs\n'])
    const of = await read(['--sized-unit=pair', '--sized-most-items=4'])
    matches(t, typeof of === 'function' && of({ name: 'sized' }), { unit: 'pair', counted: 'pair' })
  },
)

t.test('FW-17 what serverless.yml cannot say of settings is refused, with the place and what may be there', t => {
  const withSettings = (settings: Record<string, string | number>): Landscape => {
    const { sized } = landscape.functions
    if (!sized) throw new Error('there is no function sized')
    return { ...landscape, functions: { ...landscape.functions, sized: { ...sized, settings } } }
  }
  const refusals: [settings: Record<string, string | number>, says: string][] = [
    [{ most: 1 }, 'settings.most: found 1; allowed: settings that sized declares: mostItems, unit, password'],
    [{ mostItems: 0 }, 'settings.mostItems: found 0; allowed: whole items from 1 to 99'],
    [
      { password: 'sesame' },
      'settings.password: found a value; allowed: nothing: the setting is secret, so set the variable ESPALIER_SIZED_PASSWORD instead',
    ],
  ]
  for (const [settings, says] of refusals)
    throws(t, () => functionSettingsTable(functions, withSettings(settings)), {
      message: `serverless.yml is refused:\n  functions.sized.${says}`,
    })
  const taken = { name: 'log', settings: { level: { sentence: 'x', shape: { says: 'x', read: () => undefined } } } }
  throws(t, () => functionSettingsTable([taken], landscape), {
    message:
      'serverless.yml is refused:\n  the setting level of functions/log/index.ts: found the variable ESPALIER_LOG_LEVEL of the host; allowed: another name',
  })
  const declaring = (name: string, setting: string) => ({
    ...taken,
    name,
    settings: { [setting]: taken.settings.level },
  })
  for (const [declared, says] of [
    // The host's setting has a variable of another name, OTEL_EXPORTER_OTLP_ENDPOINT.
    [
      [declaring('traces', 'endpoint')],
      'endpoint of functions/traces/index.ts: found the variable ESPALIER_TRACES_ENDPOINT of the host',
    ],
    [
      [declaring('shop', 'aB'), declaring('shop-a', 'b')],
      'b of functions/shop-a/index.ts: found the variable ESPALIER_SHOP_A_B of functions/shop/index.ts',
    ],
  ] as const)
    throws(t, () => functionSettingsTable(declared, landscape), {
      message: `serverless.yml is refused:\n  the setting ${says}; allowed: another name`,
    })
  t.end()
})
