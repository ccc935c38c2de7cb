// A chart as files: what a test does not say is a Chart.yaml that names it `orchard`.
import { stringify } from 'yaml'
import type { Files } from '../../../shared/render/generator.ts'

/** Contents by path; what is no text is written as YAML. */
export const chart = (files: Readonly<Record<string, unknown>> = {}): Files =>
  new Map(
    Object.entries({ 'Chart.yaml': chartYaml(), ...files }).map(([path, content]) => [
      path,
      Buffer.from(textOf(content)),
    ]),
  )

/** What Chart.yaml says, with parts of the test's own. */
export const chartYaml = (parts: object = {}): object => ({
  apiVersion: 'v2',
  name: 'orchard',
  version: '1.0.0',
  ...parts,
})

const textOf = (content: unknown): string => (typeof content === 'string' ? content : stringify(content))
