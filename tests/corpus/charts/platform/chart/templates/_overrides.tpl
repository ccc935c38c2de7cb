{{- define "platform.label" -}}from-the-parent{{- end -}}
{{/* Definitions of the parent win over those of its subcharts. */}}
{{- define "web.banner" -}}
apiVersion: v1
kind: ConfigMap
metadata: {name: banner-of-{{ .Chart.Name }}}
{{- end -}}
