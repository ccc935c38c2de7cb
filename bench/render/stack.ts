// Templates like those of charts that install a monitoring stack: a page of helpers that all of them include, dashboards of many
// kilobytes as one text, rules whose own templates are written behind quotes, and workloads that are put together of values.
import { stringify } from 'yaml'

const helperCount = 60

/** `stack.fullname`, `stack.labels`, and many more that fall back from one value to another. */
export const helpers = `{{- define "stack.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end }}
{{- define "stack.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 26 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 26 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 26 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end }}
{{/* What all objects carry. */}}
{{- define "stack.labels" }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: "{{ replace "+" "_" .Chart.Version }}"
app.kubernetes.io/part-of: {{ template "stack.name" . }}
chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
release: {{ .Release.Name | quote }}
{{- if .Values.commonLabels }}
{{ toYaml .Values.commonLabels }}
{{- end }}
{{- end }}
{{- define "stack.kubeVersion" -}}
{{- default .Capabilities.KubeVersion.Version .Values.kubeVersionOverride -}}
{{- end }}
${Array.from({ length: helperCount }, (_, index) => helper(index)).join('')}`

function helper(index: number): string {
  return `{{- define "stack.part${index}.name" -}}
{{- $part := index .Values.parts "part${index}" | default dict -}}
{{- if $part.serviceAccount -}}
{{- if $part.serviceAccount.create -}}
{{- default (print (include "stack.fullname" .) "-part${index}") $part.serviceAccount.name -}}
{{- else -}}
{{- default "default" $part.serviceAccount.name -}}
{{- end -}}
{{- else -}}
{{- printf "%s-%s" (include "stack.fullname" .) "part${index}" -}}
{{- end -}}
{{- end }}
`
}

/** The values of so many parts. */
export const stackValues = stringify({
  commonLabels: { team: 'monitoring' },
  defaultRules: { create: true, disabled: {}, labels: { severity: 'page' }, runbookUrl: 'https://example.io/runbooks' },
  dashboards: { enabled: true, timezone: 'utc', annotations: { folder: 'Kubernetes' } },
  parts: Object.fromEntries(
    Array.from({ length: helperCount }, (_, index) => [
      `part${index}`,
      {
        enabled: true,
        image: { repository: `registry.example.io/monitoring/part${index}`, tag: `v1.${index}.0`, digest: '' },
        replicas: 2,
        serviceAccount: { create: true, name: '', annotations: {} },
        resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
        nodeSelector: { 'kubernetes.io/os': 'linux' },
        tolerations: [{ key: 'node-role.kubernetes.io/control-plane', operator: 'Exists', effect: 'NoSchedule' }],
        securityContext: { runAsNonRoot: true, runAsUser: 65534, seccompProfile: { type: 'RuntimeDefault' } },
        args: ['--log.level=info', '--web.listen-address=:8080', '--config={{ .Release.Name }}.yaml'],
      },
    ]),
  ),
})

/** About 60 kB of JSON in one line. */
export const dashboardTemplate = (number: number): string => `{{- /* Made by a generator: do not change. */ -}}
{{- if and .Values.dashboards.enabled (semverCompare ">=1.14.0-0" (include "stack.kubeVersion" .)) }}
apiVersion: v1
kind: ConfigMap
metadata:
  namespace: {{ .Release.Namespace }}
  name: {{ printf "%s-%s" (include "stack.fullname" $) "dashboard-${number}" | trunc 63 | trimSuffix "-" }}
  annotations:
{{ toYaml .Values.dashboards.annotations | indent 4 }}
  labels:
    dashboard: "1"
    app: {{ template "stack.name" $ }}
{{ include "stack.labels" $ | indent 4 }}
data:
  dashboard-${number}.json: |-
    {{\`${dashboard(number)}\`}}
{{- end }}
`

function dashboard(number: number): string {
  const panel = (id: number) => ({
    id,
    type: 'timeseries',
    datasource: { type: 'prometheus', uid: '$datasource' },
    title: `Panel ${number}.${id}`,
    fieldConfig: { defaults: { unit: 'reqps', custom: { fillOpacity: 10, lineWidth: 1 } }, overrides: [] },
    gridPos: { h: 7, w: 8, x: (id % 3) * 8, y: Math.floor(id / 3) * 7 },
    targets: [0, 1, 2].map(target => ({
      expr: `sum by (code) (rate(apiserver_request_total{job="apiserver", cluster="$cluster", part="${id}"}[$__rate_interval])) > ${target}`,
      legendFormat: '{{code}} — {{instance}}',
      refId: String.fromCharCode(65 + target),
    })),
  })
  return JSON.stringify({
    uid: `dash${number}`,
    tags: ['bench'],
    panels: Array.from({ length: 60 }, (_, id) => panel(id)),
  })
}

/** A group of alerts. */
export const ruleTemplate = (number: number): string => `{{- if .Values.defaultRules.create }}
apiVersion: monitoring.example.io/v1
kind: PrometheusRule
metadata:
  name: {{ printf "%s-%s" (include "stack.fullname" .) "rules-${number}" | trunc 63 | trimSuffix "-" }}
  namespace: {{ .Release.Namespace }}
  labels:
    app: {{ template "stack.name" . }}
{{ include "stack.labels" . | indent 4 }}
{{- if .Values.defaultRules.labels }}
{{ toYaml .Values.defaultRules.labels | indent 4 }}
{{- end }}
spec:
  groups:
  - name: group-${number}
    rules:
${Array.from({ length: 12 }, (_, index) => alert(number, index)).join('')}
{{- end }}
`

function alert(number: number, index: number): string {
  return `{{- if not (.Values.defaultRules.disabled.Alert${number}x${index} | default false) }}
    - alert: Alert${number}x${index}
      annotations:
        description: '{{\`{{\`}} $labels.job {{\`}}\`}} has {{\`{{\`}} $value | humanizePercentage {{\`}}\`}} errors on {{\`{{\`}} $labels.instance {{\`}}\`}}.'
        runbook_url: {{ .Values.defaultRules.runbookUrl }}/alert${number}x${index}
        summary: Errors are more than {{ add ${number} ${index} }} percent.
      expr: |-
        sum by (job, instance) (rate(http_requests_total{code=~"5..", group="${number}"}[5m]))
          / sum by (job, instance) (rate(http_requests_total{group="${number}"}[5m])) > 0.0${index}
      for: {{ dig "Alert${number}x${index}" "for" "15m" .Values.defaultRules }}
      labels:
        severity: {{ .Values.defaultRules.severity | default "warning" }}
        {{- with .Values.defaultRules.additionalRuleLabels }}
          {{- toYaml . | nindent 8 }}
        {{- end }}
{{- end }}
`
}

/** A Deployment with its account, Service and configuration. */
export const workloadTemplate = (number: number): string => `{{- $part := index .Values.parts "part${number}" }}
{{- if $part.enabled }}
{{- $name := include "stack.part${number}.name" . }}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ $name }}
  labels:
{{- include "stack.labels" . | indent 4 }}
  {{- with $part.serviceAccount.annotations }}
  annotations: {{ toYaml . | nindent 4 }}
  {{- end }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ $name }}
  labels:
{{- include "stack.labels" . | indent 4 }}
data:
  all.yaml: |
    {{- range $key, $other := .Values.parts }}
    {{ $key }}: {{ tpl (join "," $other.args) $ | quote }}
    {{- end }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  namespace: {{ .Release.Namespace }}
  labels:
{{- include "stack.labels" . | indent 4 }}
spec:
  replicas: {{ $part.replicas }}
  selector:
    matchLabels:
      app: {{ template "stack.name" . }}
      part: {{ $name }}
  template:
    metadata:
      annotations:
        checksum/values: {{ toJson $part | sha256sum }}
      labels:
        app: {{ template "stack.name" . }}
        part: {{ $name }}
    spec:
      serviceAccountName: {{ $name }}
      securityContext: {{ toYaml $part.securityContext | nindent 8 }}
      nodeSelector: {{ toYaml $part.nodeSelector | nindent 8 }}
      tolerations: {{ toYaml $part.tolerations | nindent 8 }}
      containers:
      - name: part${number}
        image: "{{ $part.image.repository }}{{ if $part.image.digest }}@{{ $part.image.digest }}{{ else }}:{{ $part.image.tag }}{{ end }}"
        args:
        {{- range $part.args }}
        - {{ tpl . $ | quote }}
        {{- end }}
        ports:
        - name: http
          containerPort: 8080
        resources: {{ toYaml $part.resources | nindent 10 }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}
  labels:
{{- include "stack.labels" . | indent 4 }}
spec:
  selector:
    part: {{ $name }}
  ports:
  - name: http
    port: 8080
    targetPort: http
{{- end }}
`
