// Packed artifacts: what is read of them, and that nothing else comes of them.

import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import type { Files } from '../../../shared/render/generator.ts'
import { configMapFiles, unpackTarGz, withoutFolder } from '../../../shared/render/unpack.ts'
import { matches, throws } from '../../harness/matches.ts'
import { testFolder } from '../../harness/test-folder.ts'
import { packed, tar, tgz } from '../../make/artifact.ts'

const run = promisify(execFile)

const textsOf = (files: Files): Record<string, string> =>
  Object.fromEntries([...files].map(([path, content]) => [path, Buffer.from(content).toString()]))

/** Changes bytes of a header and makes its checksum right again. */
const forged = (archive: Buffer, at: number, bytes: string): Buffer => {
  const copy = Buffer.from(archive)
  copy.write(bytes, at, 'latin1')
  copy.fill(' ', 148, 156)
  const sum = copy.subarray(0, 512).reduce((total, byte) => total + byte, 0)
  copy.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return copy
}

/** An entry that says something about the next one. */
const extension = async (type: string, content: string): Promise<Buffer> =>
  forged((await tar([{ name: 'x', content }])).subarray(0, -1024), 156, type)

t.test('RE-24 what no archive may hold is refused, and nothing is written', async t => {
  const one = await tar([{ name: 'a', content: 'x' }])
  const many = await tar(Array.from({ length: 20_000 }, (_, n) => ({ name: `f${n}` })))
  const more = Buffer.concat(Array.from({ length: 100_000 }, () => one.subarray(0, 1024)))
  const rows: [name: string, archive: Buffer, says: RegExp][] = [
    [
      'parent',
      await tgz([{ name: 'a/../../evil', content: 'x' }]),
      /"a\/..\/..\/evil", which leads outside the artifact/,
    ],
    ['parent first', await tgz([{ name: '../evil', content: 'x' }]), /which leads outside the artifact/],
    ['parent folder', await tgz([{ name: '../', type: 'directory' }]), /which leads outside the artifact/],
    ['absolute', await tgz([{ name: '/tmp/evil', content: 'x' }]), /which is an absolute path/],
    ['drive', await tgz([{ name: 'C:/evil', content: 'x' }]), /which is an absolute path/],
    ['backslash', await tgz([{ name: '..\\evil', content: 'x' }]), /contains a backslash or a NUL character/],
    ['symlink', await tgz([{ name: 'a', type: 'symlink', linkname: '/etc/passwd' }]), /which is a link/],
    ['hard link', await tgz([{ name: 'a', type: 'link', linkname: 'b' }]), /which is a link/],
    ['device', await tgz([{ name: 'a', type: 'block-device' }]), /neither a file nor a folder/],
    ['pipe', await tgz([{ name: 'a', type: 'fifo' }]), /neither a file nor a folder/],
    ['long name', await tgz([{ name: `${'a/'.repeat(600)}b`, content: 'x' }]), /longer than 1024 characters/],
    ['1000:1', gzipSync(Buffer.alloc(64 * 2 ** 20)), /unpacks to more than 33554432 bytes/],
    ['many entries', gzipSync(many), /more than 10000 entries/],
    ['100,000 entries', gzipSync(more), /unpacks to more than/],
    ['no gzip', one, /is not gzipped/],
    ['cut gzip', gzipSync(one).subarray(0, 40), /is not gzipped/],
    ['no tar', gzipSync(Buffer.alloc(2048, 'x')), /with an invalid number|wrong checksum/],
    ['cut tar', gzipSync(one.subarray(0, 512)), /ends inside a file/],
    ['wrong checksum', gzipSync(Buffer.from(one).fill('y', 0, 1)), /wrong checksum/],
    ['negative size', gzipSync(forged(one, 124, '-0000000001')), /an invalid number/],
    ['endless size', gzipSync(forged(one, 124, '\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff')), /inside a file/],
    ['negative pax size', await tgz([{ name: 'a', content: 'x', pax: { size: '-512' } }]), /ends inside a file/],
    [
      'many headers',
      gzipSync(Buffer.concat(Array(11).fill(await extension('g', '')))),
      /too many or too large extended headers/,
    ],
    [
      'a header of a megabyte',
      gzipSync(await extension('x', `${2 ** 20 + 12} path=${'a/'.repeat(2 ** 19)}\n`)),
      /too many or too large extended headers/,
    ],
    [
      'a long name of a megabyte',
      gzipSync(await extension('L', '/'.repeat(2 ** 20 + 1))),
      /too many or too large extended headers/,
    ],
    ['many records', gzipSync(await extension('x', '3 \n'.repeat(1_001))), /too many or too large extended headers/],
    ['odd pax', gzipSync(forged(await tar([{ name: 'x', content: '0 path=a\n' }]), 156, 'x')), /extended header/],
  ]
  const outcomes = await unpackedWithoutWriting(Object.fromEntries(rows))
  for (const [name, , says] of rows) {
    matches(t, outcomes[name], says, name)
    matches(t, outcomes[name], /^RenderError: the archive /, name)
  }
})

t.test('RE-24 the same process reads what is right', async t => {
  const tenHeaders = [...Array(9).fill(await extension('g', '')), await extension('x', '3 \n'.repeat(1_000))]
  const archives = {
    right: await packed({ 'a/b.yaml': 'x: 1\n', c: '' }),
    extended: gzipSync(Buffer.concat([...tenHeaders, await tar([{ name: 'a', content: 'x' }])])),
  }
  const read = { right: '[["a/b.yaml",5],["c",0]]', extended: '[["a",1]]' }
  t.strictSame(await unpackedWithoutWriting(archives), read)
})

/** In a process that the system lets write nothing. */
const unpackedWithoutWriting = async (archives: Record<string, Buffer>): Promise<Record<string, string>> => {
  const child = join(import.meta.dirname, 'unpack-child.ts')
  const flags = ['--permission', '--allow-fs-read=*', child]
  // An empty environment, set by somebody else than tap, which would bring modules along that need more.
  const running = run('env', ['-i', process.execPath, ...flags], { maxBuffer: 2 ** 20 })
  const texts = Object.entries(archives).map(([name, archive]) => [name, archive.toString('base64')])
  running.child.stdin?.end(JSON.stringify(Object.fromEntries(texts)))
  return JSON.parse((await running).stdout)
}

t.test('what tar itself packs, in each of its formats, is read as tar reads it', async t => {
  const folder = testFolder(t)
  const long = `${'l'.repeat(180)}-é.yaml`
  const files = { 'Chart.yaml': 'name: a\n', [long]: 'x', __proto__x: 'y', empty: '', large: 'z'.repeat(100_000) }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  for (const format of ['gnu', 'pax', 'oldgnu', 'posix']) {
    const archive = join(tmpdir(), `${format}-${process.pid}.tgz`)
    t.teardown(() => rmSync(archive))
    await run('tar', ['-czf', archive, `--format=${format}`, '-C', folder, '.'])
    t.strictSame(sorted(textsOf(unpackTarGz(readFileSync(archive)))), sorted(files), format)
  }
})

const sorted = (map: object): unknown => Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))

t.test('of a chart its folder is taken off; a file beside it is refused', async t => {
  const chart = unpackTarGz(await packed({ 'Chart.yaml': 'a', 'charts/b/Chart.yaml': 'b' }, 'shop/'))
  t.strictSame(textsOf(withoutFolder(chart)), { 'Chart.yaml': 'a', 'charts/b/Chart.yaml': 'b' })
  const bare = unpackTarGz(await packed({ 'Chart.yaml': 'a' }))
  throws(t, () => withoutFolder(bare), { name: 'RenderError', message: /"Chart.yaml" outside the folder of the chart/ })
})

t.test('CO-89 a ConfigMap holds an archive, or a file per key', async t => {
  const configMap = (content: object) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'shop' },
    ...content,
  })
  const artifact = (await packed({ 'Chart.yaml': 'a' }, 'shop/')).toString('base64')
  const packedFiles = configMapFiles(configMap({ binaryData: { 'artifact.tgz': artifact } }), 'chart')
  t.strictSame(textsOf(packedFiles), { 'Chart.yaml': 'a' })
  const flat = configMap({ data: { 'Chart.yaml': 'a', 'templates__a_b.yaml': 'b' }, binaryData: { files__c: 'Yw==' } })
  t.strictSame(textsOf(configMapFiles(flat, 'chart')), { 'Chart.yaml': 'a', 'templates/a_b.yaml': 'b', 'files/c': 'c' })
  const folder = configMap({ binaryData: { 'artifact.tgz': (await packed({ 'a.yaml': 'a' })).toString('base64') } })
  t.strictSame(textsOf(configMapFiles(folder, 'files')), { 'a.yaml': 'a' })
  const refused = (content: object, message: RegExp) =>
    throws(t, () => configMapFiles(configMap(content), 'files'), { name: 'RenderError', message })
  refused({ data: { 'a__..__..__b': 'x' } }, /^ConfigMap shop: the key a__..__..__b leads outside the artifact$/)
  refused({ data: { __etc__passwd: 'x' } }, /is an absolute path/)
  refused({ binaryData: { 'artifact.tgz': 'eA==' } }, /^ConfigMap shop: the archive is not gzipped/)
  refused({}, /^ConfigMap shop is empty$/)
})

t.test('RE-22 names of files that are names of methods are names', async t => {
  const names = ['__proto__', 'constructor', 'toString', 'prototype/x']
  const files = unpackTarGz(await tgz(names.map(name => ({ name, content: 'x' }))))
  t.strictSame([...files.keys()].sort(), [...names].sort())
  t.strictSame(Object.keys(Object.prototype), [])
})
