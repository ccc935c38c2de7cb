{{- define "breakages.fails" -}}
{{ fail "from inside" }}
{{- end -}}
{{- define "breakages.endless" -}}
{{ include "breakages.endless" . }}
{{- end -}}
