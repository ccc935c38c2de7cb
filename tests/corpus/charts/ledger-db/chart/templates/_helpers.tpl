{{- define "ledger.fullname" -}}
{{- printf "%s-ledger" .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- define "ledger.primary.fullname" -}}
{{- if eq .Values.architecture "replication" -}}
{{- printf "%s-%s" (include "ledger.fullname" .) .Values.primary.name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- include "ledger.fullname" . -}}
{{- end -}}
{{- end -}}
{{- define "ledger.read.fullname" -}}
{{- printf "%s-%s" (include "ledger.fullname" .) .Values.readReplicas.name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- define "ledger.secretName" -}}
{{- if .Values.auth.existingSecret -}}
{{- tpl .Values.auth.existingSecret $ -}}
{{- else -}}
{{- include "ledger.fullname" . -}}
{{- end -}}
{{- end -}}
{{/* true if a Secret is to be made */}}
{{- define "ledger.createSecret" -}}
{{- if not .Values.auth.existingSecret -}}
{{- true -}}
{{- end -}}
{{- end -}}
{{- define "ledger.labels" -}}
app.kubernetes.io/name: ledger-db
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion }}
{{- end -}}
{{/* All faults of the values at once */}}
{{- define "ledger.validateValues" -}}
{{- $messages := list -}}
{{- $messages = append $messages (include "ledger.validateValues.architecture" .) -}}
{{- $messages = append $messages (include "ledger.validateValues.replicas" .) -}}
{{- $messages = without $messages "" -}}
{{- $message := join "\n" $messages -}}
{{- if $message -}}
{{- printf "\nVALUES VALIDATION:\n%s" $message | fail -}}
{{- end -}}
{{- end -}}
{{- define "ledger.validateValues.architecture" -}}
{{- if not (has .Values.architecture (list "standalone" "replication")) -}}
ledger: architecture
    {{ .Values.architecture | quote }} is neither standalone nor replication
{{- end -}}
{{- end -}}
{{- define "ledger.validateValues.replicas" -}}
{{- if gt (int .Values.replication.numSynchronousReplicas) (int .Values.readReplicas.replicaCount) -}}
ledger: more synchronous replicas ({{ .Values.replication.numSynchronousReplicas }}) than replicas ({{ .Values.readReplicas.replicaCount }})
{{- end -}}
{{- end -}}
{{- define "ledger.probe" -}}
exec:
  command:
    - /bin/sh
    - -c
    {{- if .auth.database }}
    - exec pg_isready -U {{ default "postgres" .auth.username | quote }} -d "dbname={{ .auth.database }}" -h 127.0.0.1 -p {{ .port }}
    {{- else }}
    - exec pg_isready -U {{ default "postgres" .auth.username | quote }} -h 127.0.0.1 -p {{ .port }}
    {{- end }}
{{- end -}}
