{{- /* What the two charts of gateways differ in: whose values they read. */ -}}
{{- define "gateway.values" -}}
{{- index .Values.gateways "istio-egressgateway" | toYaml }}
{{- end }}
{{- define "gateway.labels" -}}
{{- $gateway := include "gateway.values" . | fromYaml }}
{{- toYaml $gateway.labels }}
istio.io/rev: {{ .Values.revision | default "default" | quote }}
release: {{ .Release.Name }}
{{- end }}
{{- define "gateway.image" -}}
{{- $global := .Values.global }}
{{- if contains "/" $global.proxy.image -}}
{{ $global.proxy.image }}
{{- else -}}
{{ $global.hub }}/{{ $global.proxy.image }}:{{ $global.tag }}
{{- end }}
{{- end }}
