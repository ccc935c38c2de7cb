{{- define "about" }}
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Chart.Name }}}
data:
  chart: {{ .Chart | toJson | quote }}
  {{- range $key, $value := .Chart }}
  {{ $key }}: {{ $value | toString | quote }}
  type-of-{{ $key }}: {{ typeOf $value | quote }}
  {{- end }}
{{- end }}
