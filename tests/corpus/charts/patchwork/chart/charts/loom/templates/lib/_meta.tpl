{{- define "loom.name" -}}
  {{- $global := (.Values.global | default dict) -}}
  {{- default .Chart.Name (default .Values.nameOverride $global.nameOverride) | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- define "loom.fullname" -}}
  {{- $name := include "loom.name" . -}}
  {{- if contains $name .Release.Name }}{{ .Release.Name }}{{ else }}{{ printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}{{ end -}}
{{- end -}}
{{- define "loom.metadata" -}}
  {{- $rootContext := .root -}}
  {{- $labels := merge (dict) (.labels | default dict) (dict "app.kubernetes.io/instance" $rootContext.Release.Name "app.kubernetes.io/name" (include "loom.name" $rootContext)) -}}
  {{- with $labels }}
labels:
    {{- range $name, $value := . }}
      {{- $name | nindent 2 }}: {{ tpl ($value | toString) $rootContext | toYaml }}
    {{- end }}
  {{- end }}
  {{- with (merge (.annotations | default dict) $rootContext.Values.global.annotations) }}
annotations:
    {{- range $name, $value := . }}
      {{- if not (kindIs "map" $value) }}
      {{- $name | nindent 2 }}: {{ tpl $value $rootContext | toYaml }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end -}}
{{- define "loom.enabled" -}}
  {{- $rootContext := .rootContext -}}
  {{- $resources := .resources -}}
  {{- $enabled := dict -}}
  {{- range $name, $resource := $resources -}}
    {{- if kindIs "map" $resource -}}
      {{- $on := true -}}
      {{- if hasKey $resource "enabled" -}}
        {{- if kindIs "string" $resource.enabled }}{{ $on = eq (tpl $resource.enabled $rootContext) "true" }}{{ else }}{{ $on = $resource.enabled }}{{ end -}}
      {{- end -}}
      {{- if $on -}}
        {{- $_ := set $enabled $name (mustDeepCopy $resource | mustMerge (dict "identifier" $name)) -}}
      {{- end -}}
    {{- end -}}
  {{- end -}}
  {{- $enabled | toYaml -}}
{{- end -}}
{{- define "loom.identifier" -}}
  {{- $r := .resource -}}
  {{- if hasKey $r "nameOverride" -}}{{ tpl $r.nameOverride .rootContext }}
  {{- else if eq (len .all) 1 -}}{{ include "loom.fullname" .rootContext }}
  {{- else -}}{{ printf "%s-%s" (include "loom.fullname" .rootContext) $r.identifier }}{{- end -}}
{{- end -}}
