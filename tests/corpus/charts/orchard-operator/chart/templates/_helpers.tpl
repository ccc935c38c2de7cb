{{- define "operator.name" -}}orchard-operator{{- end }}
{{- define "operator.fullname" -}}{{ .Release.Name }}-{{ template "operator.name" . }}{{- end }}
{{- define "operator.image" -}}
{{- $defaultTag := index . 1 -}}
{{- with index . 0 -}}
{{- if .registry -}}{{ printf "%s/%s" .registry .repository }}{{- else -}}{{- .repository -}}{{- end -}}
{{- if .digest -}}{{ printf "@%s" .digest }}{{- else -}}{{ printf ":%s" (default $defaultTag .tag) }}{{- end -}}
{{- end }}
{{- end }}
{{- define "operator.labels" -}}
app: {{ template "operator.name" . }}
app.kubernetes.io/name: {{ template "operator.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{/*
Rules for all of our kinds: (list "get" "list") etc.
*/}}
{{- define "operator.rules" -}}
{{- range $group, $kinds := dict "" (list "events" "secrets" "configmaps") "orchard.example.org" (list "orchards" "trees" "fruits" "gardeners") "coordination.k8s.io" (list "leases") }}
- apiGroups: [{{ $group | quote }}]
  resources:
  {{- range $kinds }}
    - {{ . }}
    {{- if eq $group "orchard.example.org" }}
    - {{ . }}/status
    - {{ printf "%s/finalizers" . }}
    {{- end }}
  {{- end }}
  verbs: {{ $.verbs | toJson }}
{{- end }}
{{- end }}
