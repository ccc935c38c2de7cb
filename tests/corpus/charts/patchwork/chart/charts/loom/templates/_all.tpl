{{- define "loom.all" -}}
  {{- $root := . -}}
  {{- $base := get .Subcharts "loom" -}}
  {{- $defaults := deepCopy (get .Values "loom" | default dict) -}}
  {{- $merged := mustMergeOverwrite $defaults (omit (deepCopy .Values) "loom") -}}
  {{- $_ := set . "Values" (deepCopy $merged) -}}
  {{- include "loom.controllers" . | nindent 0 -}}
  {{- include "loom.raw" . | nindent 0 -}}
{{- end -}}
{{- define "loom.controllers" -}}
  {{- $root := $ -}}
  {{- $all := include "loom.enabled" (dict "resources" .Values.controllers "rootContext" $) | fromYaml -}}
  {{- range $key, $controller := $all }}
    {{- $ctx := dict "rootContext" $root "controller" $controller }}
---
apiVersion: {{ if eq ($controller.type | default "deployment") "cronjob" }}batch/v1{{ else }}apps/v1{{ end }}
kind: {{ dict "deployment" "Deployment" "statefulset" "StatefulSet" "cronjob" "CronJob" | dig ($controller.type | default "deployment") "?" }}
metadata:
  name: {{ include "loom.identifier" (dict "resource" $controller "all" $all "rootContext" $root) }}
  {{- include "loom.metadata" (dict "root" $root "labels" $controller.labels "annotations" $controller.annotations) | nindent 2 }}
spec:
  {{- if hasKey $controller "replicas" }}
  {{- if not (eq $controller.replicas nil) }}
  replicas: {{ $controller.replicas }}
  {{- end }}
  {{- end }}
  template:
    metadata:
      annotations:
        {{- $sums := dict }}
        {{- range $n, $cm := $root.Values.configMaps }}{{ $_ := set $sums $n (toYaml $cm.data | sha256sum) }}{{ end }}
        checksum/config: {{ toYaml $sums | sha256sum | quote }}
    spec:
      {{- range $option := list "automountServiceAccountToken" "enableServiceLinks" "hostNetwork" "dnsPolicy" "tolerations" "securityContext" "terminationGracePeriodSeconds" }}
      {{- with include "loom.pod.option" (dict "ctx" $ctx "option" $option "default" (eq $option "hostNetwork" | ternary false nil)) | trim }}
      {{ $option }}: {{- if contains "\n" . }}{{ . | nindent 8 }}{{ else }} {{ . }}{{ end }}
      {{- end }}
      {{- end }}
      containers:
        {{- $graph := dict -}}
        {{- range $name, $container := $controller.containers }}
        {{- $_ := set $graph $name (default list $container.dependsOn) }}
        {{- end }}
        {{- range $name := keys $graph | sortAlpha }}
        {{- $container := get $controller.containers $name }}
        - {{ include "loom.container" (dict "name" $name "container" $container "rootContext" $root) | nindent 10 | trim }}
        {{- end }}
  {{- end }}
{{- end -}}
{{- define "loom.raw" -}}
{{- range $name, $raw := .Values.rawResources }}
---
{{ merge (dict "apiVersion" $raw.apiVersion "kind" $raw.kind "metadata" (dict "name" $name)) (tpl (toYaml $raw) $ | fromYaml) | toYaml }}
{{- end }}
{{- range $name, $service := .Values.service }}
---
apiVersion: v1
kind: Service
metadata: {name: {{ $name }}}
spec:
  {{- $primary := "" }}
  {{- range $portName, $port := $service.ports }}
    {{- if $port.primary }}{{ $primary = $portName }}{{ break }}{{ end }}
  {{- end }}
  {{- $primary = $primary | default (keys $service.ports | sortAlpha | first) }}
  ports:
  {{- range $portName := prepend (without (keys $service.ports | sortAlpha) $primary) $primary }}
  {{- with get $service.ports $portName }}
  - name: {{ $portName }}
    port: {{ .port | int }}
    targetPort: {{ .targetPort | default $portName }}
    {{- if contains "HTTP" (.protocol | default "") }}
    protocol: TCP
    {{- else }}
    protocol: {{ .protocol | default "TCP" }}
    {{- end }}
  {{- end }}
  {{- end }}
{{- end }}
{{- range $name, $claim := .Values.persistence }}
  {{- $types := list }}
  {{- with $claim.globalMounts }}{{ range . }}{{ $types = append $types (kindOf .path) }}{{ end }}{{ end }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: claim-{{ $name }}}
data:
  advanced: |
    {{- range $c, $mounts := $claim.advancedMounts }}
    {{ $c }}={{ range $i, $m := $mounts }}{{ if $i }},{{ end }}{{ $m.path }}{{ end }}
    {{- end }}
  types: {{ $types | join "," | quote }}
  size: {{ $claim.size | default "1Gi" | quote }}
  json: {{ $claim | toJson | quote }}
  pretty: {{ $claim | toPrettyJson | quote }}
{{- end }}
{{- end -}}
