// Charts like large public ones, made up: megabytes of definitions, a monitoring stack with its dashboards, and one that makes keys.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { definitionYaml } from './definitions.ts'
import { dashboardTemplate, helpers, ruleTemplate, stackValues, workloadTemplate } from './stack.ts'

/** Texts by path. */
export type ChartTexts = ReadonlyMap<string, string>

export const madeCharts: Readonly<Record<string, () => ChartTexts>> = {
  definitions: () => new Map([...chartYaml('definitions'), ...definitionFiles(9, 'crds')]),
  'definitions-by-files': () =>
    new Map([...chartYaml('definitions-by-files'), ...definitionFiles(9, 'files'), ['templates/crds.yaml', byFiles]]),
  'definitions-read': () =>
    new Map([...chartYaml('definitions-read'), ...definitionFiles(9, 'files'), ['templates/crds.yaml', read]]),
  stack: () => stack(),
  keys: () => new Map([...chartYaml('keys'), ['templates/secrets.yaml', keys]]),
}

/** Below the folder; where its chart stands then. */
export const writeChart = (folder: string, name: string, texts: ChartTexts): string => {
  for (const [path, text] of texts) {
    const file = join(folder, name, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return join(folder, name)
}

const chartYaml = (name: string): [string, string][] => [
  ['Chart.yaml', `apiVersion: v2\nname: ${name}\nversion: 1.0.0\nappVersion: 1.0.0\n`],
]

const definitionFiles = (count: number, folder: string): [string, string][] =>
  Array.from({ length: count }, (_, index) => [`${folder}/things${index}.yaml`, definitionYaml(index)])

/** As it stands in the file. */
const byFiles = `{{- range $path, $_ := .Files.Glob "files/*.yaml" }}
---
{{ $.Files.Get $path }}
{{- end }}
`

/** With labels of the chart's own. */
const read = `{{- range $path, $_ := .Files.Glob "files/*.yaml" }}
{{- $crd := $.Files.Get $path | fromYaml }}
{{- $_ := set $crd.metadata "labels" (dict "app.kubernetes.io/instance" $.Release.Name) }}
---
{{ toYaml $crd }}
{{- end }}
`

const keys = `{{- $ca := genCA "demo-ca" 3650 }}
{{- $host := printf "demo.%s.svc" .Release.Namespace }}
{{- $cert := genSignedCert $host nil (list $host "demo") 365 $ca }}
apiVersion: v1
kind: Secret
metadata:
  name: demo-tls
type: kubernetes.io/tls
data:
  ca.crt: {{ b64enc $ca.Cert }}
  tls.crt: {{ b64enc $cert.Cert }}
  tls.key: {{ b64enc $cert.Key }}
---
apiVersion: v1
kind: Secret
metadata:
  name: demo-key
stringData:
  key.pem: {{ genPrivateKey "rsa" | quote }}
`

const stack = (): ChartTexts => {
  const parts = (count: number, kind: string, text: (number: number) => string): [string, string][] =>
    Array.from({ length: count }, (_, index) => [`templates/${kind}/${kind}-${index}.yaml`, text(index)])
  return new Map([
    ...chartYaml('stack'),
    ['values.yaml', stackValues],
    ['templates/_helpers.tpl', helpers],
    ...parts(30, 'dashboards', dashboardTemplate),
    ...parts(35, 'rules', ruleTemplate),
    ...parts(40, 'workloads', workloadTemplate),
    ['charts/crds/Chart.yaml', 'apiVersion: v2\nname: crds\nversion: 0.0.0\n'],
    ...definitionFiles(10, 'charts/crds/crds'),
  ])
}
