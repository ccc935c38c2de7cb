{{- define "front-door.params" -}}
- /controller
{{- if .Values.defaultBackend.enabled }}
- --default-backend-service=$(POD_NAMESPACE)/{{ .Release.Name }}-backend
{{- end }}
- --election-id={{ .Values.controller.electionID | default (printf "%s-leader" .Release.Name) }}
- --controller-class={{ .Values.controller.ingressClassResource.controllerValue }}
{{- if .Values.controller.ingressClass }}
- --ingress-class={{ .Values.controller.ingressClass }}
{{- end }}
- --configmap={{ default "$(POD_NAMESPACE)" .Values.controller.configMapNamespace }}/{{ .Release.Name }}-controller
{{- if .Values.tcp }}
- --tcp-services-configmap={{ default "$(POD_NAMESPACE)" .Values.controller.tcpNamespace }}/{{ .Release.Name }}-tcp
{{- end }}
{{- if not (eq .Values.controller.metrics.port 10254.0) }}
- --healthz-port={{ .Values.controller.metrics.port }}
{{- end }}
{{- range $key, $value := .Values.controller.extraArgs }}
{{- /* Accept keys without values or with false as value */}}
{{- if eq ($value | quote | len) 2 }}
- --{{ $key }}
{{- else }}
- --{{ $key }}={{ $value }}
{{- end }}
{{- end }}
{{- end -}}
