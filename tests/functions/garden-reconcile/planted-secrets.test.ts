// Secrets that somebody creates beside those of a Garden, with every label and annotation of a former key: they count for nothing.
import t from 'tap'
import { decide } from '../../../functions/garden-reconcile/decide.ts'
import { fileRules } from '../../../functions/garden-reconcile/desired/apiserver-parts/encryption-config.ts'
import { startPlan } from '../../../functions/garden-reconcile/rules/operation-start.ts'
import {
  bundleNow,
  currentSecret,
  formerSecret,
  secretNow,
  wantedSecret,
} from '../../../functions/garden-reconcile/rules/secrets/existing-secrets.ts'
import type { SecretConfigName } from '../../../functions/garden-reconcile/rules/secrets/secret-configs.ts'
import { secretFaults } from '../../../functions/garden-reconcile/rules/secrets/secret-faults.ts'
import {
  leftoverSecrets,
  missingSecrets,
  secretSteps,
} from '../../../functions/garden-reconcile/rules/secrets/secret-steps.ts'
import { secretEvents } from '../../../functions/garden-reconcile/rules/secrets/unknown-secrets.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { encodedTexts, secretText } from '../../../shared/core/objects/secret-text.ts'
import { matches } from '../../harness/matches.ts'
import { garden } from '../../make/garden/garden.ts'
import { madeSecrets, patched, withSecrets } from '../../make/garden/garden-secrets.ts'
import { gardenWorld } from '../../make/garden/garden-world.ts'

const now = new Date('2026-01-01T00:00:00Z')
const later = new Date('2026-01-05T00:00:00Z')
const keyName = 'kube-apiserver-etcd-encryption-key'
const phased = [
  'ca',
  'ca-client',
  'service-account-key',
  'gardener-apiserver-workload-identity-signing-key',
  keyName,
] as const
const all = [...phased, 'ca-garden-runtime', 'kube-controller-manager-server'] as const

const credentials = 'credentials.gardener.cloud'
const ours = await madeSecrets(gardenWorld(), all, now)
/** What an attacker has: keys and authorities of another Garden. */
const theirs = await madeSecrets(gardenWorld(), all, later)

/** As many ways to look like ours as there are labels and annotations. */
const disguises = (name: SecretConfigName): readonly Partial<KubeObject['metadata']>[] => {
  const { labels = {}, name: current } = secretNow(ours, name).metadata
  const times = ['', '1', String(later.getTime() / 1000), '99999999999', 'x']
  return [
    ...times.map(time => ({ labels: { ...labels, 'last-rotation-initiation-time': time } })),
    { labels, creationTimestamp: now.toISOString() },
    ...['follows', 'followed-by', 'replaces'].map(mark => ({
      labels,
      annotations: { [`${credentials}/${mark}`]: current },
    })),
  ]
}

const planted = (name: SecretConfigName, metadata: Partial<KubeObject['metadata']>): KubeObject => ({
  ...secretNow(theirs, name),
  metadata: {
    ...{ name: `${name}-planted`, namespace: 'garden', uid: 'planted', creationTimestamp: later.toISOString() },
    ...metadata,
  },
})

/** What the Garden is made of: names of current Secrets, bundles, keys in files, faults, steps. */
const made = (world: World) => ({
  current: all.map(name => currentSecret(world, name)?.metadata.name),
  former: all.map(name => formerSecret(world, name)?.metadata.name),
  bundles: (['ca', 'ca-client', 'ca-garden-runtime'] as const).map(name =>
    secretText(bundleNow(world, name), 'bundle.crt'),
  ),
  tokens: secretText(bundleNow(world, 'service-account-key'), 'bundle.key'),
  encryption: fileRules(world, 'kube-apiserver'),
  missing: missingSecrets(world, all),
  faults: secretFaults(world, all),
  steps: secretSteps(world, all, now).length,
})

t.test('GA-310 outside a rotation no Secret that somebody plants counts, whatever its labels say', async t => {
  const expected = made(ours)
  t.strictSame([expected.missing, expected.faults, expected.steps], [[], [], 0])
  for (const name of all)
    for (const disguise of disguises(name)) {
      const attacked = withSecrets(ours, planted(name, disguise))
      t.strictSame(made(attacked), expected, `${name} ${JSON.stringify(disguise)}`)
    }
})

t.test(
  'GA-311 an unknown key is named by an Event and not deleted; of other configs it is deleted as a leftover',
  async t => {
    for (const name of all) {
      const attacked = withSecrets(ours, planted(name, disguises(name)[1] ?? {}))
      const isKept = phased.some(one => one === name)
      const deleted = leftoverSecrets(attacked, all, now).map(({ metadata }) => metadata.name)
      t.strictSame(deleted, isKept ? [] : [`${name}-planted`])
      const message = new RegExp(
        `^Secret garden/${name}-planted: has the labels of a generated Secret of ${name}, but neither `,
      )
      const expected = { type: 'Warning', reason: 'UnknownSecret', message, occasion: 'planted' }
      matches(t, secretEvents(attacked), isKept ? [expected] : [])
      const { events } = decide({ ...attacked, garden: running() }, now)
      matches(t, events, isKept ? [expected] : [], 'by the function')
    }
    const many = Array.from({ length: 30 }, (_, n) =>
      planted('ca', { ...disguises('ca')[1], name: `ca-${n}`, uid: `${n}` }),
    )
    t.equal(secretEvents(withSecrets(ours, ...many)).length, 10)
  },
)

const gardener = { id: 'x', name: 'garden-reconcile', version: 'v1.130.0' }
const lastOperation = {
  type: 'Reconcile',
  state: 'Processing',
  progress: 50,
  description: 'x',
  lastUpdateTime: now.toISOString(),
}

/** A Garden whose operation is under way. */
const running = (annotations: Record<string, string> = {}): Garden =>
  mergePatched(garden({ status: { observedGeneration: 1, lastOperation, gardener } } as never), {
    metadata: { generation: 1, finalizers: ['gardener.cloud/operator'], annotations },
  }) as Garden

/** The world in which a person has just asked for a rotation, and after the start has been written. */
const started = (world: World): World => {
  const asking = running({ 'gardener.cloud/operation': 'rotate-credentials-start' })
  const { steps, status } = startPlan({ ...world, garden: asking }, later)
  const merges = steps.flatMap(step => (step.do === 'patch' ? [step.merge] : []))
  const after = [...merges, { status }].reduce<unknown>((one, merge) => mergePatched(one, merge), asking) as Garden
  return { ...world, garden: after }
}

t.test('GA-312 a rotation replaces the Secret that the Garden named at its start, not one that is planted', async t => {
  const expected = await madeSecrets(started(ours), all, later)
  t.strictSame(
    phased.map(name => formerSecret(expected, name)?.metadata.name),
    phased.map(name => secretNow(ours, name).metadata.name),
  )
  for (const name of phased)
    for (const disguise of disguises(name)) {
      const hidden = planted(name, disguise)
      for (const attacked of [
        await madeSecrets(started(withSecrets(ours, hidden)), [name], later),
        await madeSecrets(withSecrets(started(ours), hidden), [name], later),
        withSecrets(await madeSecrets(started(ours), [name], later), hidden),
      ]) {
        const text = `${name} ${JSON.stringify(disguise)}`
        t.equal(formerSecret(attacked, name)?.metadata.name, secretNow(ours, name).metadata.name, text)
        t.strictSame(secretFaults(attacked, [name]), [], text)
        t.equal(
          currentSecret(attacked, name)?.metadata.annotations?.[`${credentials}/follows`],
          secretNow(ours, name).metadata.name,
        )
      }
    }
})

t.test('GA-338 a Secret that lies under the next name before a rotation starts is told, and not used', async t => {
  const asking = running({ 'gardener.cloud/operation': 'rotate-credentials-start' })
  const names = [...phased, 'kube-apiserver-static-token', 'observability-ingress'] as const
  const whole = await madeSecrets(ours, names, now)
  const next = started(whole)
  const lying = names.map(name => {
    const wanted = wantedSecret(next, name)
    if (!wanted) throw new TypeError(name)
    const { name: lies, labels } = wanted
    const source = phased.some(one => one === name) ? name : 'ca'
    return { name, secret: planted(source as SecretConfigName, { name: lies, labels, uid: name }) }
  })
  for (const { name, secret } of lying) {
    const attacked = { ...withSecrets(whole, secret), garden: asking }
    const plan = startPlan(attacked, later)
    t.strictSame([plan.steps, plan.status], [[], {}], name)
    matches(t, plan.next, { is: 'waiting', seconds: 1 })
    matches(t, plan.events, [
      {
        ...{ type: 'Warning', reason: 'UnknownSecret', occasion: name },
        message: `Secret garden/${secret.metadata.name}: has the name that the rotation would give to its new ${name}, but existed before the rotation. Espalier does not use it; delete it`,
      },
    ])
    const second = new Date(later.getTime() + 1_000)
    const { status, next: then } = startPlan(attacked, second)
    matches(
      t,
      [status, then],
      [{ credentials: { rotation: { certificateAuthorities: { phase: 'Preparing' } } } }, { is: 'again' }],
    )
  }
  const many = lying.map(({ secret }) => secret)
  t.equal(startPlan({ ...withSecrets(whole, ...many), garden: asking }, later).events.length, many.length)
})

t.test('GA-339 a key that is older than the Garden is used, and an Event names it', async t => {
  const fresh = garden({ metadata: { generation: 1 } } as never)
  const { events } = startPlan({ ...ours, garden: fresh }, later)
  const keys = [...phased, 'ca-garden-runtime'] as const
  const text = (name: SecretConfigName) =>
    `Secret garden/${secretNow(ours, name).metadata.name}: is older than the Garden and has the name and labels of its ${name}, so the Garden uses it. If it does not come from an earlier Garden of yours, delete the Garden, delete the Secret, and create the Garden again`
  t.strictSame(events.map(({ message }) => message).sort(), keys.map(text).sort())
  for (const { type, reason } of events) t.strictSame([type, reason], ['Warning', 'UnknownSecret'])
  t.strictSame(startPlan({ ...gardenWorld(), garden: fresh }, later).events, [], 'there is none')
  t.strictSame(startPlan({ ...ours, garden: running({ 'gardener.cloud/operation': 'reconcile' }) }, later).events, [])
  const foreign = planted('ca', { name: secretNow(ours, 'ca').metadata.name, labels: {} })
  t.strictSame(
    startPlan({ ...withSecrets(gardenWorld(), foreign), garden: fresh }, later).events,
    [],
    'a fault names it',
  )
})

t.test('GA-313 a rotation that the Go operator began goes on: its new Secret names none', async t => {
  const begun = await madeSecrets(started(ours), phased, later)
  const unnamed = phased.map(name => {
    const { annotations, ...metadata } = secretNow(begun, name).metadata
    return { ...secretNow(begun, name), metadata }
  })
  const annotations = { [`${credentials}/former-secrets`]: null }
  const theirGarden = mergePatched(begun.garden, { metadata: { annotations } }) as Garden
  const taken = withSecrets({ ...ours, garden: theirGarden }, ...unnamed)
  for (const name of phased) {
    t.equal(formerSecret(taken, name)?.metadata.name, secretNow(ours, name).metadata.name)
    const attacked = withSecrets(
      taken,
      planted(name, { ...disguises(name)[0], creationTimestamp: '2026-01-06T00:00:00Z' }),
    )
    t.equal(formerSecret(attacked, name)?.metadata.name, secretNow(ours, name).metadata.name, 'one that is made later')
    t.strictSame(secretFaults(attacked, [name]), [])
  }
})

t.test(
  'GA-314 a renewed authority of the runtime cluster follows the one before it, not one that is planted',
  async t => {
    const [day, name] = [86_400_000, 'ca-garden-runtime' as const]
    const due = new Date(now.getTime() + 24 * day + 1_000)
    for (const disguise of disguises(name)) {
      const renewed = await madeSecrets(withSecrets(ours, planted(name, disguise)), [name], due)
      t.equal(formerSecret(renewed, name)?.metadata.name, secretNow(ours, name).metadata.name, JSON.stringify(disguise))
      t.equal(bundleCount(renewed), 2)
    }
  },
)

const bundleCount = (world: World): number =>
  secretText(bundleNow(world, 'ca-garden-runtime'), 'bundle.crt').split('BEGIN CERTIFICATE').length - 1

t.test('GA-315 what was handed over is used for the first Secret alone, and an Event says so', async t => {
  const given = {
    ...secretNow(theirs, 'ca'),
    metadata: { name: 'mine', namespace: 'garden', uid: 'mine', labels: { 'secrets-manager-use-data-for-name': 'ca' } },
  }
  const first = withSecrets(gardenWorld(), given)
  matches(t, secretEvents(first), [
    {
      type: 'Normal',
      reason: 'SecretAdopted',
      message: 'Secret garden/mine: its content becomes the first ca of the Garden',
    },
  ])
  t.strictSame(secretEvents(withSecrets(ours, given)), [])
  t.strictSame(made(withSecrets(ours, given)), made(ours))
  t.equal(patched(ours, []).runtime.size, ours.runtime.size)
})

t.test('GA-320 a token or kubeconfig planted under the name of the current Secret is a fault', async t => {
  const names = ['ca', 'kube-apiserver-static-token', 'generic-token-kubeconfig'] as const
  const world = await madeSecrets(gardenWorld(), names, now)
  const faultsWith = (name: SecretConfigName, texts: Record<string, string>) => {
    const current = secretNow(world, name)
    const others = (world.runtime.get('v1 Secret') ?? []).filter(one => one !== current)
    const changed = [...others, { ...current, data: encodedTexts(texts) }]
    return secretFaults({ ...world, runtime: new Map([['v1 Secret', changed]]) }, [name])
  }
  const broken = (name: SecretConfigName) => [
    `Secret garden/${secretNow(world, name).metadata.name}: its content is incomplete or invalid`,
  ]
  const lines = [
    ...['x,admin,admin,system:masters', 'x,health-check,health-check,"system:masters"', ',health-check,health-check,'],
    ...['x,health-check,health-check,\ny,admin,admin,', 'x,system:kube-controller-manager,health-check,', 'x', ''],
  ]
  const token = 'kube-apiserver-static-token'
  for (const line of lines) t.strictSame(faultsWith(token, { 'static_tokens.csv': line }), broken(token), line)
  t.strictSame(faultsWith(token, { 'static_tokens.csv': 'x,health-check,health-check,\n' }), [])
  const kubeconfig = 'generic-token-kubeconfig'
  const text = secretText(secretNow(world, kubeconfig), 'kubeconfig')
  const theirs = text.replace('https://virtual-garden-kube-apiserver', 'https://evil.example.com')
  t.not(theirs, text)
  t.strictSame(faultsWith(kubeconfig, { kubeconfig: theirs }), broken(kubeconfig))
  t.strictSame(faultsWith(kubeconfig, { kubeconfig: text }), [])
})
