{{/*
A set of resources by name.
{{ include "toolbox.resources.preset" (dict "type" "nano") }}
*/}}
{{- define "toolbox.resources.preset" -}}
{{- $presets := dict
  "nano" (dict
      "requests" (dict "cpu" "100m" "memory" "128Mi" "ephemeral-storage" "50Mi")
      "limits" (dict "cpu" "150m" "memory" "192Mi" "ephemeral-storage" "2Gi")
   )
  "small" (dict
      "requests" (dict "cpu" "500m" "memory" "512Mi" "ephemeral-storage" "50Mi")
      "limits" (dict "cpu" "750m" "memory" "768Mi" "ephemeral-storage" "2Gi")
   )
  "large" (dict
      "requests" (dict "cpu" "1.0" "memory" "2048Mi" "ephemeral-storage" "50Mi")
      "limits" (dict "cpu" "1.5" "memory" "3072Mi" "ephemeral-storage" "2Gi")
   )
 }}
{{- if hasKey $presets .type -}}
{{- index $presets .type | toYaml -}}
{{- else -}}
{{- printf "ERROR: Preset key '%s' invalid. Allowed values are %s" .type (join "," (keys $presets | sortAlpha)) | fail -}}
{{- end -}}
{{- end -}}

{{- define "toolbox.affinities.pods" -}}
  {{- if eq .type "soft" }}
preferredDuringSchedulingIgnoredDuringExecution:
  - podAffinityTerm:
      labelSelector:
        matchLabels: {{- (include "toolbox.labels.matchLabels" ( dict "customLabels" (default (dict) .customLabels) "context" .context )) | nindent 10 }}
          app.kubernetes.io/component: {{ .component }}
      topologyKey: {{ .topologyKey | default "kubernetes.io/hostname" }}
    weight: 1
  {{- else if eq .type "hard" }}
requiredDuringSchedulingIgnoredDuringExecution:
  - labelSelector:
      matchLabels: {{- (include "toolbox.labels.matchLabels" ( dict "customLabels" (default (dict) .customLabels) "context" .context )) | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
    topologyKey: {{ .topologyKey | default "kubernetes.io/hostname" }}
  {{- end -}}
{{- end -}}

{{- define "not-a-file-of-its-own" }}{{ end }}
