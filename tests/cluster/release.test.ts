// The workflow that publishes a release, as far as it can be judged without publishing: by actionlint, and by what it must not lack.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { parse } from 'yaml'
import { actionlintProgram } from '../harness/control-plane/binaries.ts'
import { baseImages } from '../harness/image/recipe.ts'
import { contains, lacks, matches, rejects } from '../harness/matches.ts'
import { testFolder } from '../harness/test-folder.ts'

const root = join(import.meta.dirname, '..', '..')
const path = join(root, '.github/workflows/release.yml')
const text = readFileSync(path, 'utf8')

type Step = { uses?: string; run?: string; env?: Record<string, string>; with?: Record<string, unknown> }
type Job = { needs?: string | string[]; permissions: Record<string, string>; steps: Step[] }
const workflow = parse(text) as { on: unknown; permissions: object; jobs: Record<string, Job> }

const linted = (file: string) =>
  promisify(execFile)(actionlintProgram(), ['-no-color', '-shellcheck=', '-pyflakes=', file])

t.test('FN-185 actionlint finds no fault in the workflow of a release', async t => {
  await linted(path)
  const broken = join(testFolder(t), 'broken.yml')
  writeFileSync(broken, text.replace('needs.image.outputs.digest', 'needs.image.outputs.digests'))
  await rejects(t, linted(broken), { stdout: /property "digests" is not defined/ })
})

t.test('FN-185 a tag publishes image, chart and package, after all checks, with provenance and signatures', t => {
  matches(t, workflow.on, { push: { tags: ['v*.*.*'] } })
  matches(t, workflow.permissions, {}, 'a job has the rights that it names')
  const { check, image, chart, package: npm } = workflow.jobs
  t.strictSame(Object.keys(workflow.jobs), ['check', 'image', 'chart', 'package'])
  const shell = (job?: Job): string => (job?.steps ?? []).map(({ run = '' }) => run).join('\n')
  const used = (job?: Job): string[] => (job?.steps ?? []).map(({ uses = '' }) => uses.replace(/@.*/, ''))
  t.strictSame(
    [image, chart, npm].map(job => [job?.needs].flat().includes('check')),
    [true, true, true],
  )
  contains(t, shell(check), '.ci/run')
  contains(t, shell(check), 'test "v$version" = "$TAG"')
  for (const name of Object.keys(baseImages(readFileSync(join(root, 'Dockerfile'), 'utf8'))))
    contains(t, shell(image), `${name.toUpperCase()}_IMAGE`)
  contains(t, shell(image), 'cosign sign --yes')
  contains(t, shell(chart), 'cosign sign --yes')
  for (const job of [image, chart]) {
    t.ok(used(job).includes('actions/attest-build-provenance'))
    matches(t, job?.permissions['id-token'], 'write')
  }
  contains(t, shell(npm), '--provenance')
  matches(t, shell(npm), /npm run reference\nnpm publish/, 'the package has the pages')
  matches(t, npm?.permissions, { contents: 'read', 'id-token': 'write' })
  lacks(t, text, /secrets\.(?!GITHUB_TOKEN)/, 'no secret of its own')
  t.end()
})
