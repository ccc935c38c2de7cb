// What becomes of generated Secrets over time: they are rotated, renewed, and go when nobody needs them any more.
import t from 'tap'
import { flowOf } from '../../../functions/garden-reconcile/rules/flow.ts'
import type { SecretConfigName } from '../../../functions/garden-reconcile/rules/secrets/secret-names.ts'
import { bundleNow, secretNow, textIn } from '../../../functions/garden-reconcile/rules/secrets/secrets-now.ts'
import type { GardenStep } from '../../../functions/garden-reconcile/rules/step.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import { certificatesIn } from '../../../shared/core/certificate.ts'
import type { KubeObject } from '../../../shared/core/object.ts'
import { garden } from '../../make/garden.ts'
import { madeSecrets, secretsIn, withSecrets } from '../../make/garden-secrets.ts'
import { gardenWorld } from '../../make/garden-world.ts'

const start = new Date('2026-01-01T00:00:00Z')
const after = (days: number): Date => new Date(start.getTime() + days * 86_400_000)

const inPhase = (world: World, phase: 'Preparing' | 'Prepared' | 'Completing' | 'Completed'): World => ({
  ...world,
  garden: garden({
    status: {
      credentials: {
        rotation: { certificateAuthorities: { phase, lastInitiationTime: after(1).toISOString() } },
      },
    },
  }),
})

const asking = (names: readonly SecretConfigName[], waits: readonly string[] = []): readonly GardenStep[] => [
  { name: 'authorities', needs: [], secrets: () => names, waits: () => waits, objects: () => [] },
]

const deletedIn = (world: World, names: readonly SecretConfigName[], { now = after(1), waits = [] as string[] } = {}) =>
  flowOf(asking(names, waits), world, now).writes.map(step => {
    if (step.do !== 'delete') throw new TypeError(`${step.do} is not expected`)
    return step.target.metadata.name
  })

const without = (world: World, names: readonly string[]): World => ({
  ...world,
  runtime: new Map([['v1 Secret', secretsIn(world).filter(({ metadata }) => !names.includes(metadata.name))]]),
})

const secret = (name: string, labels: Record<string, string>): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'garden', labels } },
})

const ours = { 'managed-by': 'secrets-manager', 'manager-identity': 'gardener-operator' }

t.test('GA-100 what no step asks for goes when the run is ready', async t => {
  const made = await madeSecrets(gardenWorld(), ['ca', 'kube-controller-manager-server', 'ca-etcd'], start)
  const world = withSecrets(
    made,
    secret('other', { ...ours, name: 'ca', 'manager-identity': 'gardenlet' }),
    secret('given', { ...ours, name: 'ca', 'secrets-manager-use-data-for-name': 'ca' }),
    secret('of-people', {}),
  )
  const names: SecretConfigName[] = ['kube-controller-manager-server', 'ca']
  t.strictSame(deletedIn(world, names, { waits: ['something'] }), [])
  const expected = [secretNow(made, 'ca-etcd'), bundleNow(made, 'ca-etcd')].map(({ metadata }) => metadata.name)
  t.strictSame(deletedIn(world, names).sort(), expected.sort())
  t.strictSame(deletedIn(without(world, expected), names), [])
  t.strictSame(deletedIn(without(world, expected), ['kube-controller-manager-server']), [], 'its authority stays')
})

t.test('GA-100 a former authority goes in the completion of its rotation, and does not come back', async t => {
  const names: SecretConfigName[] = ['ca', 'kube-controller-manager-server']
  const first = await madeSecrets(gardenWorld(), names, start)
  const former = secretNow(first, 'ca').metadata.name
  const prepared = await madeSecrets(inPhase(first, 'Preparing'), names, after(1))
  t.strictSame(deletedIn(prepared, names), [bundleNow(first, 'ca').metadata.name])
  const completing = await madeSecrets(inPhase(prepared, 'Completing'), names, after(2))
  const gone = deletedIn(completing, names)
  t.ok(gone.includes(former))
  t.ok(gone.includes(secretNow(first, 'kube-controller-manager-server').metadata.name))
  const completed = inPhase(without(completing, gone), 'Completed')
  t.equal(certificatesIn(textIn(bundleNow(completed, 'ca'), 'bundle.crt')).length, 1)
  t.strictSame(deletedIn(completed, names), [])
})
