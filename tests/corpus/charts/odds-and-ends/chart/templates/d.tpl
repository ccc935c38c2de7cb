{{- define "unused" }}{{ end -}}
{{/* a template file without underscore is rendered, to nothing here */}}
