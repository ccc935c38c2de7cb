{{- define "glue.meta" -}}
name: {{ .Release.Name }}-{{ .Chart.Name }}
labels:
  app.kubernetes.io/part-of: {{ .Values.global.domain | default "nowhere" }}
{{- end -}}
{{- define "platform.label" -}}from-the-library{{- end -}}
