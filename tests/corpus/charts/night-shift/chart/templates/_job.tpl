{{- define "night.env" -}}
{{- range $name := keys .env | sortAlpha }}
{{- $value := index $.env $name }}
- name: {{ $name }}
  {{- if kindIs "map" $value }}
  valueFrom: {{ $value | toYaml | nindent 4 }}
  {{- else if kindIs "invalid" $value }}
  value: ""
  {{- else if typeIs "bool" $value }}
  value: {{ ternary "1" "0" $value | quote }}
  {{- else if kindIs "float64" $value }}
  value: {{ $value | int64 | quote }}
  {{- else }}
  value: {{ $value | toString | quote }}
  {{- end }}
{{- end }}
{{- end -}}
