// How the image is made without a container engine, as far as that can be seen without making it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import manifest from '../../../package.json' with { type: 'json' }
import { matches, throws } from '../matches.ts'
import { baseImages, buildArguments, originLabels, sbomOfCommit } from './recipe.ts'

const dockerfile = readFileSync(join(import.meta.dirname, '../../../Dockerfile'), 'utf8')
const origin = { version: '0.1.0', revision: 'abc', seconds: 1_790_000_000 }

t.test('the stand-ins have the names of the base images in the Dockerfile', async t => {
  matches(t, baseImages(dockerfile), { build: /^node:24-/, base: /distroless\/nodejs24-\w+:nonroot$/ })
  throws(t, () => baseImages(dockerfile.replace('ARG BASE_IMAGE', 'ARG OTHER')), /no line "ARG BASE_IMAGE=IMAGE"/)
})

t.test('a build asks no registry, cache or clock, and names its commit', async t => {
  const args = buildArguments(origin, 'espalier:0.1.0')
  for (const needed of ['--pull=never', '--no-cache', '--identity-label=false', `--timestamp=${origin.seconds}`])
    t.ok(args.includes(needed), needed)
  t.ok(args.includes('--label=org.opencontainers.image.revision=abc'))
  matches(t, originLabels(origin), { 'org.opencontainers.image.created': '2026-09-21T14:13:20.000Z' })
})

t.test('labels that no commit changes are in the Dockerfile, and say what package.json says', async t => {
  const labels = new Map(
    [...dockerfile.matchAll(/org\.opencontainers\.image\.(\w+)=(?:"([^"]*)"|(\S+))/g)].map(([, name, quoted, word]) => [
      name,
      quoted ?? word,
    ]),
  )
  t.strictSame(Object.fromEntries(labels), {
    title: manifest.name,
    description: manifest.description,
    licenses: manifest.license,
  })
})

t.test('an SBOM has what is bundled, the time of the commit, and no number by chance', async t => {
  const json = (serialNumber: string) =>
    JSON.stringify({
      serialNumber,
      metadata: { timestamp: 'now', component: { name: 'folder' } },
      components: ['yaml@1', 'tap@1', 'esbuild@1', 'node@1', '@a/b@2'].map(ref => ({ 'bom-ref': ref })),
      dependencies: [{ ref: '@a/b@2', dependsOn: ['tap@1', 'yaml@1'] }, { ref: 'tap@1' }],
    })
  const packages = {
    'node_modules/yaml': { version: '1' },
    'node_modules/c/node_modules/@a/b': { version: '2' },
    'node_modules/tap': { version: '1', dev: true },
    'node_modules/esbuild': { version: '1', devOptional: true },
    'node_modules/node': { version: '1', optional: true },
  }
  const lock = { name: 'espalier', packages }
  const [one, other] = ['urn:uuid:1', 'urn:uuid:2'].map(number => sbomOfCommit(json(number), lock, origin.seconds))
  t.equal(one, other)
  matches(t, JSON.parse(one ?? ''), {
    serialNumber: undefined,
    metadata: { timestamp: '2026-09-21T14:13:20.000Z', component: { name: 'espalier' } },
    components: [{ 'bom-ref': 'yaml@1' }, { 'bom-ref': '@a/b@2' }],
    dependencies: [{ ref: '@a/b@2', dependsOn: ['yaml@1'] }],
  })
})
