{{- define "broker.name" -}}{{ .Release.Name }}-broker{{- end -}}
{{- define "broker.host" -}}
{{- $ctx := index . 0 -}}
{{ printf "%s-%d.%s-headless.%s.svc.%s" (include "broker.name" $ctx) (index . 1) (include "broker.name" $ctx) $ctx.Release.Namespace $ctx.Values.nameservice.clusterDomain }}
{{- end -}}
{{- define "broker.voters" -}}
{{- $voters := list -}}
{{- range $i := until (.Values.replicaCount | int) -}}
{{- $voters = append $voters (printf "%d@%s:%v" $i (include "broker.host" (list $ $i)) $.Values.listeners.controller.port) -}}
{{- end -}}
{{- join "," $voters -}}
{{- end -}}
{{- define "broker.listeners" -}}
{{- range $name, $listener := .Values.listeners -}}
{{- if ne (toString $listener.enabled) "false" }}{{ upper $name }}://:{{ int $listener.port }},{{ end -}}
{{- end -}}
{{- end -}}
{{- define "broker.memory" -}}
{{- $units := dict "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 -}}
{{- $amount := regexFind "^[0-9.]+" . -}}
{{- $unit := regexFind "[A-Za-z]+$" . -}}
{{- mulf (float64 $amount) (get $units $unit | default 1.0) | int64 -}}
{{- end -}}
