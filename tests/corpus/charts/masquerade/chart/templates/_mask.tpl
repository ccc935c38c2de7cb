{{- define "mask.image" -}}
{{ coalesce .Values.hub .Values.global.hub .imageDefaults.hub }}/mask:{{ coalesce .Values.tag .Values.global.tag .imageDefaults.tag }}
{{- end }}
