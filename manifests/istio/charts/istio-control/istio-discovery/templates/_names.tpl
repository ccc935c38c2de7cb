{{- define "istiod.name" -}}
istiod{{ with .Values.revision }}-{{ . }}{{ end }}
{{- end }}
{{- define "istiod.labels" -}}
app: istiod
istio: pilot
istio.io/rev: {{ .Values.revision | default "default" | quote }}
release: {{ .Release.Name }}
{{- end }}
{{- /* An image that has a registry is used as it is. */ -}}
{{- define "istiod.image" -}}
{{- if contains "/" .Values.pilot.image -}}
{{ .Values.pilot.image }}
{{- else -}}
{{ coalesce .Values.pilot.hub .Values.global.hub }}/{{ .Values.pilot.image }}:{{ coalesce .Values.pilot.tag .Values.global.tag }}
{{- end }}
{{- end }}
{{- define "istiod.mesh" -}}
defaultConfig:
  discoveryAddress: {{ include "istiod.name" . }}.{{ .Release.Namespace }}.svc:15012
  {{- with .Values.global.meshID }}
  meshId: {{ . | quote }}
  {{- end }}
rootNamespace: {{ .Release.Namespace }}
trustDomain: cluster.local
enablePrometheusMerge: true
defaultProviders:
  metrics: [prometheus]
{{- end }}
