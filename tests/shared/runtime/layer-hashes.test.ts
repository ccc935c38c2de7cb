// The digests of layers, as they lie in a registry and unpacked.
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { layerHashes } from '../../../shared/runtime/modules/layer-hashes.ts'
import { letsOthersIn } from '../../harness/cpu-work.ts'
import { rejects } from '../../harness/matches.ts'

const hashOf = (bytes: Uint8Array, hash = 'sha256'): string => createHash(hash).update(bytes).digest('hex')
const text = Buffer.from('kind: ConfigMap\n')

t.test('KY-38 of a layer as it is and, where it is packed, of what is in it', async t => {
  const packed = gzipSync(text)
  const twice = Buffer.concat([packed, gzipSync(text)])
  const broken = Buffer.from([0x1f, 0x8b, 1, 2, 3])
  const cut = packed.subarray(0, packed.length - 4)
  const cases: [layer: Buffer, unpacked: Buffer | undefined][] = [
    [text, undefined],
    [Buffer.alloc(0), undefined],
    [packed, text],
    [twice, Buffer.concat([text, text])],
    [broken, undefined],
    [cut, undefined],
  ]
  for (const hash of ['sha256', 'sha512'])
    for (const [layer, unpacked] of cases)
      t.strictSame(await layerHashes(layer, { hash }), [
        hashOf(layer, hash),
        ...(unpacked ? [hashOf(unpacked, hash)] : []),
      ])
})

t.test(
  'RE-52 a layer that unpacks to 128 MiB holds nobody up, and one that unpacks to more has one digest',
  async t => {
    const most = 128 * 2 ** 20
    const [full, over] = [most, most + 1].map(size => gzipSync(Buffer.alloc(size), { level: 1 })) as [Buffer, Buffer]
    let digests: readonly string[] = []
    const large = async () => {
      digests = await layerHashes(full, { hash: 'sha512' })
    }
    await letsOthersIn(t, large, 'a layer of 128 MiB')
    t.equal(digests[1], hashOf(Buffer.alloc(most), 'sha512'))
    t.strictSame(await layerHashes(over, { hash: 'sha256' }), [hashOf(over)])
    await letsOthersIn(t, () => layerHashes(Buffer.alloc(most), { hash: 'sha512' }), 'one that is not packed')
  },
)

t.test('RE-52 it ends with the call', async t => {
  const ended = Object.assign(new Error('the call ended'), { code: 'ENDED' })
  await rejects(t, layerHashes(text, { hash: 'sha256', signal: AbortSignal.abort(ended) }), ended)
  const underWay = new AbortController()
  const unpacking = layerHashes(gzipSync(Buffer.alloc(2 ** 26)), { hash: 'sha256', signal: underWay.signal })
  for (let turn = 0; turn < 5; turn++) await setImmediate()
  underWay.abort(ended)
  await rejects(t, unpacking, ended)
})
