{{/* vim: set filetype=mustache: */}}
{{- define "forge.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "forge.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "forge.image" -}}
{{- $fullOverride := .Values.image.fullOverride | default "" -}}
{{- $registry := .Values.global.imageRegistry | default .Values.image.registry -}}
{{- $repository := .Values.image.repository -}}
{{- $separator := ":" -}}
{{- $tag := .Values.image.tag | default .Chart.AppVersion | toString -}}
{{- $rootless := ternary "-rootless" "" (.Values.image.rootless) -}}
{{- $digest := "" -}}
{{- if .Values.image.digest }}
    {{- $digest = (printf "@%s" (.Values.image.digest | toString)) -}}
{{- end -}}
{{- if $fullOverride }}
    {{- printf "%s" $fullOverride -}}
{{- else if $registry }}
    {{- printf "%s/%s%s%s%s%s" $registry $repository $separator $tag $rootless $digest -}}
{{- else -}}
    {{- printf "%s%s%s%s%s" $repository $separator $tag $rootless $digest -}}
{{- end -}}
{{- end -}}

{{- define "forge.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app: {{ include "forge.name" . }}
{{ include "forge.selectorLabels" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
{{- end -}}
{{- define "forge.selectorLabels" -}}
app.kubernetes.io/name: {{ include "forge.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "forge.inline_configuration" -}}
  {{- include "forge.inline_configuration.init" . -}}
  {{- include "forge.inline_configuration.defaults" . -}}

  {{- $generals := list -}}
  {{- $inlines := dict -}}

  {{- range $key, $value := .Values.forge.config  }}
    {{- if kindIs "map" $value }}
      {{- if gt (len $value) 0 }}
        {{- $section := default list (get $inlines $key) -}}
        {{- range $n_key, $n_value := $value }}
          {{- $section = append $section (printf "%s=%v" $n_key $n_value) -}}
        {{- end }}
        {{- $_ := set $inlines $key (join "\n" $section) -}}
      {{- end -}}
    {{- else }}
      {{- if or (eq $key "APP_NAME") (eq $key "RUN_USER") (eq $key "RUN_MODE") -}}
        {{- $generals = append $generals (printf "%s=%s" $key $value) -}}
      {{- else -}}
        {{- (printf "Key %s cannot be on top level of configuration" $key) | fail -}}
      {{- end -}}
    {{- end }}
  {{- end }}

  {{- $_ := set $inlines "_generals_" (join "\n" $generals) -}}
  {{- toYaml $inlines -}}
{{- end -}}

{{- define "forge.inline_configuration.init" -}}
  {{- range $section := list "server" "metrics" "database" "security" "repository" "cache" "session" "queue" -}}
  {{- if not (hasKey $.Values.forge.config $section) -}}
    {{- $_ := set $.Values.forge.config $section dict -}}
  {{- end -}}
  {{- end -}}
{{- end -}}

{{- define "forge.inline_configuration.defaults" -}}
  {{- with .Values.forge.config -}}
  {{- if not (.repository.ROOT) -}}
    {{- $_ := set .repository "ROOT" "/data/git/repositories" -}}
  {{- end -}}
  {{- if not .security.INSTALL_LOCK -}}
    {{- $_ := set .security "INSTALL_LOCK" "true" -}}
  {{- end -}}
  {{- if not (hasKey .metrics "ENABLED") -}}
    {{- $_ := set .metrics "ENABLED" ($.Values.metrics | default dict).enabled -}}
  {{- end -}}
  {{- if $.Values.keydb.enabled }}
    {{- $_ := set .session "PROVIDER" "redis" -}}
    {{- $_ := set .cache "HOST" (printf "redis://%s-keydb:%v/0?pool_size=100" $.Release.Name ($.Values.keydb.port | default 6379)) -}}
  {{- else -}}
    {{- $_ := set .session "PROVIDER" (get .session "PROVIDER" | default "memory") -}}
  {{- end -}}
  {{- if $.Values.ingress.enabled -}}
    {{- $_ := set .server "ROOT_URL" (printf "%s://%s" (ternary "https" "http" (gt (len $.Values.ingress.tls) 0)) (tpl (index $.Values.ingress.hosts 0).host $)) -}}
  {{- end -}}
  {{- if not (.server.SSH_PORT) -}}
    {{- $_ := set .server "SSH_PORT" $.Values.service.ssh.port -}}
  {{- end -}}
  {{- end -}}
{{- end -}}

{{- define "forge.oauth_settings" -}}
{{- $idx := index . 0 }}
{{- $values := index . 1 }}
{{- if not (hasKey $values "key") -}}{{- $_ := set $values "key" (printf "${OAUTH_KEY_%d}" $idx) -}}{{- end -}}
{{- range $key, $val := $values -}}
{{- if eq $key "use_custom_urls" }}{{ else if ne $key "existingSecret" -}}
{{- printf "--%s %s " ($key | kebabcase) ($val | quote) -}}
{{- end -}}
{{- end -}}
{{- end -}}
