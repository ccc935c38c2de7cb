{{- define "watchtower.fullname" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 26 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 26 | trimSuffix "-" }}{{ end }}
{{- end }}
{{- define "watchtower.labels" }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/instance: {{ $.Release.Name }}
chart: {{ printf "%s-%s" $.Chart.Name $.Chart.Version | replace "+" "_" }}
release: {{ $.Release.Name | quote }}
{{- end }}
{{- define "watchtower.kubeVersion" -}}
{{- default .Capabilities.KubeVersion.Version .Values.kubeTargetVersionOverride -}}
{{- end -}}
{{/* A rule: (list $ "NodeDown" "up == 0" "5m") */}}
{{- define "watchtower.rule" -}}
{{- $root := index . 0 -}}{{- $name := index . 1 -}}
{{- $custom := dig $name (dict) $root.Values.defaultRules.customRules -}}
- alert: {{ $name }}
  expr: |-
    {{- index . 2 | nindent 4 }}
  for: {{ $custom.for | default (index . 3) }}
  labels:
    severity: {{ dig "severity" "warning" $custom }}
    {{- with $root.Values.defaultRules.additionalRuleLabels }}
      {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    description: '{{ $name | snakecase | replace "_" " " | title }} on {{`{{`}} $labels.instance {{`}}`}} since {{`{{ humanizeDuration $value }}`}}.'
    runbook_url: {{ $root.Values.defaultRules.runbookUrl }}/{{ $name | lower }}
{{- end -}}
