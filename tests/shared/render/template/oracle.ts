// What helm makes of templates: snippets are judged by the hundred in one run, each within an include whose bytes come back in
// base64; a snippet that must fail takes a run of its own.
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import type { RenderContext } from '../../../../shared/render/generator.ts'
import { Environment, execute, goValue, parseTemplates } from '../../../../shared/render/template/template.ts'
import { bytesOf } from '../../../../shared/render/template/value/bytes.ts'
import { briefly, oracles } from '../../../harness/oracles.ts'
import { testFolder } from '../../../harness/test-folder.ts'
import { defined as shared } from './snippets.ts'

const run = promisify(execFile)
const chart = 'apiVersion: v2\nname: c\nversion: 1.0.0\n'

export type Judge = {
  /** The outputs of snippets, all with the same values. */
  readonly outputs: (snippets: readonly string[], values: object) => Promise<readonly string[]>
  /** Helm's complaint about a template that it must not render. */
  readonly complaint: (template: string, values: object) => Promise<string>
}

/** Helm, in a folder of its own that goes with the test. */
export const helmJudge = async (t: Test): Promise<Judge> => {
  const { helm } = await oracles()
  const root = testFolder(t)
  let count = 0
  const rendered = async (template: string, values: object): Promise<string> => {
    count += 1
    const folder = join(root, String(count))
    await mkdir(join(folder, 'templates'), { recursive: true })
    await writeFile(join(folder, 'Chart.yaml'), chart)
    await writeFile(join(folder, 'values.yaml'), JSON.stringify(values))
    await writeFile(join(folder, 'templates', 'x.yaml'), bytesOf(template))
    const { stdout } = await run(helm, ['template', folder], {
      maxBuffer: 64 * 1024 * 1024,
      env: { ...briefly, TZ: 'UTC', HOME: root },
    })
    return stdout
  }
  return {
    outputs: async (snippets, values) => {
      const stdout = await rendered(gathered(snippets), values)
      const found = new Map([...stdout.matchAll(/^s(\d+): "(.*)"$/gm)].map(([, index, text]) => [Number(index), text]))
      const output = (index: number): string => Buffer.from(found.get(index) ?? '', 'base64').toString('latin1')
      // Helm leaves it out of what a file gives, where base64 has hidden it.
      return snippets.map((_, index) => output(index).replaceAll('<no value>', ''))
    },
    complaint: async (template, values) => {
      try {
        return `rendered: ${await rendered(template, values)}`
      } catch (error) {
        return error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
      }
    },
  }
}

const gathered = (snippets: readonly string[]): string => {
  const defined = snippets.map((snippet, index) => `{{- define "s${index}" }}${snippet}{{ end }}\n`)
  const called = snippets.map((_, index) => `s${index}: "{{ include "s${index}" (dict "Values" .Values) | b64enc }}"\n`)
  return [shared, ...defined, ...called].join('')
}

/** A context in which drawn bytes depend on the template, the call and nothing else. */
export const context = (parts: Partial<RenderContext> = {}): RenderContext => ({
  namespace: 'default',
  name: 'release-name',
  reconcilerName: 'test.example.org',
  component: { apiVersion: 'v1', kind: 'Test', metadata: { name: 'release-name' } },
  componentDigest: 'digest',
  revision: 1,
  now: new Date('2026-03-04T05:06:07Z'),
  cluster: { version: 'v1.35.0', apiVersions: ['v1'] },
  draw: (purpose, bytes) => Buffer.alloc(bytes, `${purpose.template}/${purpose.call}/`),
  found: new Map(),
  ...parts,
})

/** What our engine makes of a template: its bytes, read as Latin-1. */
export const ours = (template: string, values: object, environment = new Environment(context())): string => {
  const set = parseTemplates([{ name: 'c/templates/x.yaml', text: template }])
  const data = goValue(JSON.parse(JSON.stringify({ Values: values })))
  return Buffer.from(bytesOf(execute(set, 'c/templates/x.yaml', data, environment))).toString('latin1')
}
