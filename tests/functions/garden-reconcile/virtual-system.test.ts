// What the virtual garden has besides Gardener's programs, and the configurations of these: golden. Each field alone changes its own.
import t from 'tap'
import { stringify } from 'yaml'
import { admissionWebhooks } from '../../../functions/garden-reconcile/desired/control-plane/admission-webhooks.ts'
import {
  admissionControllerConfiguration,
  controllerManagerConfiguration,
  schedulerConfiguration,
} from '../../../functions/garden-reconcile/desired/control-plane/configurations.ts'
import { virtualSystem } from '../../../functions/garden-reconcile/desired/virtual-system.ts'
import { mapsIn } from '../../../shared/core/json/json.ts'
import { goldenIn } from '../../harness/golden.ts'
import { type Garden, garden } from '../../make/garden/garden.ts'
import { managedContents } from '../../make/garden/managed-contents.ts'

const golden = goldenIn(import.meta.dirname)

const contents = managedContents(virtualSystem(), 'garden-system-virtual')

t.test('the rights of people, Seeds and everybody', async t => {
  t.strictSame(contents, golden('virtual-system'))
})

t.test('GA-80 no role but those of everybody allows Seeds anything: the seed authorizer decides', async t => {
  const subjects = contents.flatMap(({ subjects }) => mapsIn(subjects).map(({ name }) => name))
  t.ok(subjects.includes('system:bootstrappers'))
  t.notOk(subjects.includes('gardener.cloud:system:seeds'))
})

type Fields = Garden['spec']['virtualCluster']['gardener']
type Change = Partial<Fields>

const fieldsWith = (change: Change): Fields => ({ ...garden().spec.virtualCluster.gardener, ...change })
const configurations = (change: Change = {}) => {
  const fields = fieldsWith(change)
  return [
    admissionControllerConfiguration(fields),
    controllerManagerConfiguration(fields),
    schedulerConfiguration(fields),
  ]
}

t.test('GA-171 the configurations of a Garden that says nothing', async t => {
  t.strictSame(configurations(), golden('control-plane-configurations'))
})

/** Lines of the one that the other has not. */
const linesBeyond = (given: unknown, beyond: unknown): string[] => {
  const known = new Set(stringify(beyond).split('\n'))
  return stringify(given)
    .split('\n')
    .filter(line => !known.has(line))
    .map(line => line.trim())
}

const limits = [
  { apiGroups: ['core.gardener.cloud'], apiVersions: ['*'], resources: ['shoots'], size: '100k' },
  { resources: ['secrets'], count: 10 },
]
const quota = { config: { spec: { hard: { 'count/shoots': '3' } } }, projectSelector: { matchLabels: { a: 'b' } } }

const changes: Record<string, { fields: Change; adds: string[] }> = {
  'admission logLevel': { fields: { gardenerAdmissionController: { logLevel: 'debug' } }, adds: ['logLevel: debug'] },
  'admission limits': {
    fields: { gardenerAdmissionController: { resourceAdmissionConfiguration: { limits, operationMode: 'log' } } },
    adds: [
      ...['resourceAdmissionConfiguration:', 'limits:', '- apiGroups:', '- core.gardener.cloud', 'apiVersions:'],
      ...['- "*"', 'resources:', '- shoots', 'size: 100k', '- resources:', '- secrets', 'count: 10'],
      'operationMode: log',
    ],
  },
  'controller manager logLevel': {
    fields: { gardenerControllerManager: { logLevel: 'error' } },
    adds: ['logLevel: error'],
  },
  'controller manager featureGates': {
    fields: { gardenerControllerManager: { featureGates: { B: true, A: false } } },
    adds: ['featureGates:', 'B: true', 'A: false'],
  },
  'controller manager quotas': {
    fields: { gardenerControllerManager: { defaultProjectQuotas: [quota] } },
    adds: [
      ...['quotas:', '- config:', 'spec:', 'hard:', 'count/shoots: "3"', 'projectSelector:', 'matchLabels:', 'a: b'],
    ],
  },
  'scheduler logLevel': { fields: { gardenerScheduler: { logLevel: 'debug' } }, adds: ['logLevel: debug'] },
  'scheduler featureGates': {
    fields: { gardenerScheduler: { featureGates: { A: true } } },
    adds: ['featureGates:', 'A: true'],
  },
  'scheduler strategy': {
    fields: { gardenerScheduler: { strategy: 'MinimalDistance' } },
    adds: ['strategy: MinimalDistance'],
  },
}

for (const [field, { fields, adds }] of Object.entries(changes))
  t.test(`GA-171 ${field} alone changes its own line`, async t => {
    const now = configurations(fields)
    t.strictSame(linesBeyond(now, configurations()), adds)
    t.equal(now.filter((one, i) => stringify(one) !== stringify(configurations()[i])).length, 1)
  })

t.test('GA-171 each limit is a rule of a webhook', async t => {
  const [mutating, validating] = admissionWebhooks('Y2E=', { limits })
  const [, without] = admissionWebhooks('Y2E=')
  t.strictSame([mutating, without], golden('admission-webhooks'))
  const webhooks = (validating as unknown as { webhooks: { name: string; rules: unknown[] }[] }).webhooks
  const last = webhooks.at(-1)
  t.equal(last?.name, 'validate-resource-size.gardener.cloud')
  const operations = ['CREATE', 'UPDATE']
  t.strictSame(last?.rules, [
    { operations, resources: ['shoots'], apiGroups: ['core.gardener.cloud'], apiVersions: ['*'] },
    { operations, resources: ['secrets'] },
  ])
})
