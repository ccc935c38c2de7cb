{{- define "loom.pod.option" -}}
  {{- $ctx := .ctx -}}
  {{- $option := .option -}}
  {{- $default := .default -}}
  {{- $value := $default -}}
  {{- $defaults := get (default dict $ctx.rootContext.Values.defaultPodOptions) $option -}}
  {{- if kindIs "bool" $defaults }}{{ $value = $defaults }}{{ else if not (empty $defaults) }}{{ $value = $defaults }}{{ end -}}
  {{- $own := get (default dict $ctx.controller.pod) $option -}}
  {{- if kindIs "bool" $own -}}
    {{- $value = $own -}}
  {{- else if not (empty $own) -}}
    {{- $value = $own -}}
    {{- if and (kindIs "map" $own) (eq $ctx.rootContext.Values.defaultPodOptionsStrategy "merge") -}}
      {{- $value = merge $own (default dict $defaults) -}}
    {{- end -}}
  {{- end -}}
  {{- if kindIs "bool" $value }}{{ $value | toYaml }}{{ else if not (empty $value) }}{{ $value | toYaml }}{{ end -}}
{{- end -}}
{{- define "loom.container" -}}
{{- $c := .container -}}
name: {{ .name }}
image: {{ printf "%s:%s" $c.image.repository ($c.image.tag | toString) | quote }}
  {{- with $c.command }}
command:
    {{- if kindIs "string" . }}
  - {{ . | quote }}
    {{- else }}
      {{- tpl (toYaml .) $.rootContext | nindent 2 }}
    {{- end }}
  {{- end }}
  {{- with (include "loom.env" (dict "env" $c.env "rootContext" .rootContext)) }}
env: {{ . | nindent 2 }}
  {{- end }}
  {{- $probes := list -}}
  {{- range $name, $probe := ($c.probes | default dict) }}
    {{- if or (not (hasKey $probe "enabled")) $probe.enabled }}
      {{- if $probe.custom }}
{{ $name }}Probe: {{ tpl ($probe.spec | toYaml) $.rootContext | nindent 2 }}
      {{- else }}
{{ $name }}Probe:
  {{- $spec := default dict $probe.spec -}}
  {{- include "loom.probe" (dict "type" ($probe.type | default "TCP") "spec" $spec "port" $probe.port) | trim | nindent 2 }}
      {{- end }}
    {{- end }}
  {{- end }}
  {{- with $c.resources }}
resources: {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
{{- define "loom.probe" -}}
{{- if eq .type "HTTP" }}
httpGet:
  path: {{ .spec.path | default "/" }}
  port: {{ .port }}
{{- else if eq "TCP" .type }}
tcpSocket:
  port: {{ .port }}
{{- else }}
exec: {command: {{ .spec.command | toJson }}}
{{- end }}
{{- range $k := list "initialDelaySeconds" "periodSeconds" "failureThreshold" }}
{{- with get $.spec $k }}
{{ $k }}: {{ . }}
{{- end }}{{ end }}
{{- end -}}
{{- define "loom.env" -}}
  {{- $root := .rootContext -}}
  {{- with .env -}}
    {{- $list := list -}}
    {{- range $name, $value := . -}}
      {{- if kindIs "int" $name }}{{ $name = required "environment variables as a list need a name" $value.name }}{{ end -}}
      {{- if kindIs "map" $value -}}
        {{- if hasKey $value "value" -}}
          {{- $v := $value.value -}}
          {{- if not (kindIs "string" $v) }}{{ $v = toString $v }}{{ end -}}
          {{- $list = append $list (dict "name" $name "value" (tpl $v $root)) -}}
        {{- else -}}
          {{- $from := get $value "valueFrom" | default (omit $value "name" "dependsOn") -}}
          {{- $list = append $list (dict "name" $name "valueFrom" ($from | toYaml | replace "@ns@" $root.Release.Namespace | fromYaml)) -}}
        {{- end -}}
      {{- else if kindIs "string" $value -}}
        {{- $list = append $list (dict "name" $name "value" (tpl $value $root)) -}}
      {{- else if or (kindIs "float64" $value) (kindIs "bool" $value) (kindIs "int64" $value) -}}
        {{- $list = append $list (dict "name" $name "value" ($value | toString)) -}}
      {{- end -}}
    {{- end -}}
    {{- toYaml $list -}}
  {{- end -}}
{{- end -}}
