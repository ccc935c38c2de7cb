{{- define "web.banner" -}}
kind: ConfigMap
metadata: {name: the-webs-own-banner}
{{- end -}}
