// Settings that functions of one's own declare: what they get, what the host says of them, and what is refused.
import { join } from 'node:path'
import t from 'tap'
import type { Landscape } from '../../../shared/api/serverless.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { deployManifests } from '../../../shared/deploy/manifests/manifests.ts'
import { settingsFrom } from '../../../shared/http/settings/config.ts'
import { landscapeIn } from '../../../shared/main/landscape.ts'
import { startOperator } from '../../../shared/main/own/operator.ts'
import { servedFunctions } from '../../../shared/main/own/own-functions.ts'
import { ownSettingsTable, settingsByFunction } from '../../../shared/main/own/own-settings.ts'
import { tryFunction } from '../../../shared/main/own/trial/trial.ts'
import { project, shell } from '../../harness/framework/package.ts'
import { contains, throws } from '../../harness/matches.ts'

const folder = join(import.meta.dirname, 'sizes')
const landscape = await landscapeIn(folder)
const functions = await servedFunctions(['sized', 'shelf'], landscape, folder)

const read = (flags: string[], environment: Record<string, string> = {}) => {
  const reading = settingsFrom(ownSettingsTable(functions, landscape), { program: 'host', flags, environment })
  return reading.is === 'settings' ? settingsByFunction(functions, reading.settings) : reading
}

const configMap = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name, labels: { sized: 'yes' } },
})

t.test(
  'FW-04 a setting has the value of its flag, else of its variable, else of serverless.yml, else its default',
  t => {
    const values = (...given: Parameters<typeof read>) => {
      const of = read(...given)
      return typeof of === 'function' ? { ...of('sized'), ...of('shelf') } : of
    }
    const usual = { mostItems: 7, unit: 'pieces', password: undefined, wood: 'oak' }
    t.strictSame(values([]), usual)
    const environment = {
      ESPALIER_SIZED_MOST_ITEMS: '8',
      ESPALIER_SIZED_PASSWORD: 'sesame',
      ESPALIER_SHELF_WOOD: 'ash',
    }
    t.strictSame(values([], environment), { ...usual, mostItems: 8, password: 'sesame', wood: 'ash' })
    t.strictSame(values(['--sized-most-items=9'], environment), {
      ...usual,
      mostItems: 9,
      password: 'sesame',
      wood: 'ash',
    })
    const refused = values(['--shelf-wood=stone'])
    t.strictSame(refused, {
      is: 'faults',
      faults: [
        '--shelf-wood is "stone": expected one of oak, ash. Set the flag --shelf-wood or the environment variable ESPALIER_SHELF_WOOD.',
      ],
    })
    t.end()
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
    contains(t, help.text, 'whole items from 1 to 99; "7" when not given')
    contains(t, values.text, 'sizedUnit = "boxes"  # flag: ESPALIER_SIZED_UNIT')
    contains(t, values.text, 'shelfWood = "oak"  # default: ESPALIER_SHELF_WOOD')
    t.notOk(help.text.includes('--shelf-wood'), 'those of the functions that it serves alone')
    const variables = (name: string): unknown[] => {
      const objects = deployManifests(landscape, '1.0.0', []).flatMap(file => file.objects) as KubeObject[]
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
      'settings.password: found a value; allowed: nothing: it is secret, so the variable ESPALIER_SIZED_PASSWORD gives it',
    ],
  ]
  for (const [settings, says] of refusals)
    throws(t, () => ownSettingsTable(functions, withSettings(settings)), {
      message: `serverless.yml is refused:\n  functions.sized.${says}`,
    })
  const taken = { name: 'log', settings: { level: { sentence: 'x', shape: { says: 'x', read: () => undefined } } } }
  throws(t, () => ownSettingsTable([taken], landscape), {
    message:
      'serverless.yml is refused:\n  the setting level of functions/log/index.ts: found the variable ESPALIER_LOG_LEVEL of the host; allowed: another name',
  })
  const declaring = (name: string, setting: string) => ({
    ...taken,
    name,
    settings: { [setting]: taken.settings.level },
  })
  for (const [declared, says] of [
    // The host's row `kymaRequeueReady` has a variable of another name, KYMA_REQUEUE_READY.
    [
      [declaring('kyma-requeue', 'ready')],
      'ready of functions/kyma-requeue/index.ts: found the variable ESPALIER_KYMA_REQUEUE_READY of the host',
    ],
    [
      [declaring('shop', 'aB'), declaring('shop-a', 'b')],
      'b of functions/shop-a/index.ts: found the variable ESPALIER_SHOP_A_B of functions/shop/index.ts',
    ],
  ] as const)
    throws(t, () => ownSettingsTable(declared, landscape), {
      message: `serverless.yml is refused:\n  the setting ${says}; allowed: another name`,
    })
  t.end()
})
