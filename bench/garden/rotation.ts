// The part of an ETCD key's rotation that grows with the landscape: every Secret of the virtual garden is written once with the new key.
import { valueAt } from '../../shared/core/json/fields.ts'
import { type KubeObject, refOf } from '../../shared/core/objects/object.ts'
import { atOnce } from '../../shared/kube/at-once.ts'
import type { Client, RequestNote } from '../../shared/kube/client-types.ts'
import type { Calls } from './calls.ts'
import type { Ground } from './clusters.ts'
import { stopwatch, type Took } from './stopwatch.ts'
import { virtualGardenOf } from './virtual-garden.ts'

export type Rewritten = Took & {
  /** Calls of the function that rewrote something, and requests to the virtual garden. */
  readonly calls: number
  readonly requests: readonly RequestNote[]
  /** What the process held before, and at most meanwhile. */
  readonly megabytesBefore: number
  readonly megabytesMost: number
}

/** Hears of requests to the virtual garden. */
export class FarRequests {
  #seen: RequestNote[] = []
  #began: { readonly took: () => Took; readonly megabytes: number } | undefined
  #took: Took | undefined
  #megabytesMost = 0

  readonly note = (request: RequestNote): void => {
    this.#began ??= { took: stopwatch(), megabytes: megabytes() }
    this.#seen.push(request)
    this.#megabytesMost = Math.max(this.#megabytesMost, megabytes())
    if (request.method === 'PATCH') this.#took = this.#began.took()
  }

  get patches(): number {
    return this.#seen.filter(({ method }) => method === 'PATCH').length
  }

  forget(): void {
    this.#seen = []
    this.#began = undefined
    this.#megabytesMost = 0
  }

  /** From the first answer to that of the last patch. */
  get whole(): Omit<Rewritten, 'calls'> {
    if (!this.#began || !this.#took) throw new Error('no Secret was rewritten')
    const megabytesBefore = this.#began.megabytes
    return { ...this.#took, requests: this.#seen, megabytesBefore, megabytesMost: this.#megabytesMost }
  }
}

const megabytes = (): number => process.memoryUsage.rss() / 1e6

const person = { fieldManager: 'bench' }
const gardenRef = { apiVersion: 'operator.gardener.cloud/v1alpha1', kind: 'Garden', namespace: '', name: 'garden' }
const asked = { metadata: { annotations: { 'gardener.cloud/operation': 'rotate-etcd-encryption-key-start' } } }

/** From the first read of what is stored encrypted to the last Secret that is rewritten. */
export const rewritten = async (calls: Calls, ground: Ground, far: FarRequests): Promise<Rewritten> => {
  far.forget()
  await ground.admin.patch(gardenRef, { type: 'merge', body: asked }, person)
  let [writing, patches] = [0, 0]
  await calls.until(async () => {
    if (far.patches > patches) writing++
    patches = far.patches
    return isPrepared(await ground.admin.get(gardenRef))
  })
  return { ...far.whole, calls: writing }
}

const isPrepared = (garden: KubeObject | undefined): boolean =>
  valueAt(garden?.status, 'credentials', 'rotation', 'etcdEncryptionKey', 'phase') === 'Prepared'

/** Lists the same Secrets once and sets a label of its own on each, 16 at once as the function does. */
export const bareRewriting = async ({ admin, virtualGardenAddress }: Ground): Promise<Took & { secrets: number }> => {
  const client: Client = await virtualGardenOf(admin, virtualGardenAddress)
  const took = stopwatch()
  const secrets = await client.list({ apiVersion: 'v1', kind: 'Secret', metadataOnly: true })
  const body = { metadata: { labels: { bench: 'bare' } } }
  await atOnce(
    secrets.map(secret => () => client.patch(refOf(secret), { type: 'merge', body }, person)),
    16,
  )
  return { ...took(), secrets: secrets.length }
}
