{{- define "family.labels" -}}
family: {{ .Release.Name }}
member: {{ .Chart.Name | quote }}
{{- end -}}
