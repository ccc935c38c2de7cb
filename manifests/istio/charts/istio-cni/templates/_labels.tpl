{{- define "cni.labels" -}}
app: istio-cni
k8s-app: istio-cni-node
istio.io/rev: {{ .Values.revision | default "default" | quote }}
release: {{ .Release.Name }}
{{- end }}
{{- define "cni.image" -}}
{{- if contains "/" .Values.cni.image -}}
{{ .Values.cni.image }}
{{- else -}}
{{ coalesce .Values.cni.hub .Values.global.hub }}/{{ .Values.cni.image }}:{{ coalesce .Values.cni.tag .Values.global.tag }}
{{- end }}
{{- end }}
