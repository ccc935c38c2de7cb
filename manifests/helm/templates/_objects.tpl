{{/* The objects of a generated file, in this release's namespace. Takes root and file; include it with fromYaml and take .objects. */}}
{{- define "espalier.objects" -}}
{{- $objects := list -}}
{{- range splitList "\n---\n" (.root.Files.Get .file | replace (.root.Files.Get "files/namespace") .root.Release.Namespace) -}}
{{- $object := fromYaml . -}}
{{- if $object.kind -}}{{- $objects = append $objects $object -}}{{- end -}}
{{- end -}}
{{- dict "objects" $objects | toYaml -}}
{{- end -}}

{{/* One object, with the labels and annotations of values. Takes root and object. */}}
{{- define "espalier.put" -}}
{{- $metadata := .object.metadata -}}
{{- with .root.Values.commonLabels -}}{{- $_ := set $metadata "labels" (merge dict (default dict $metadata.labels) .) -}}{{- end -}}
{{- with .root.Values.commonAnnotations -}}{{- $_ := set $metadata "annotations" (merge dict (default dict $metadata.annotations) .) -}}{{- end }}
---
{{ toYaml .object }}
{{- end -}}

{{/* serverless.yml with the chosen functions and the namespace of this release: as JSON, because fromYaml reads its keys `on` as true. */}}
{{- define "espalier.landscape" -}}
{{- $landscape := .Files.Get "files/landscape.json" | replace (.Files.Get "files/namespace") .Release.Namespace | fromJson -}}
{{- $functions := dict -}}
{{- range $name, $function := $landscape.functions -}}
{{- if or (not $.Values.functions) (has $name $.Values.functions) (eq $name "webhook-certificate") -}}{{- $_ := set $functions $name $function -}}{{- end -}}
{{- end -}}
{{- if $.Values.component -}}{{- with $functions.component -}}
{{- range .events -}}
{{- with .inventory -}}{{- if hasKey . "kubeConfigHosts" -}}{{- $_ := set . "kubeConfigHosts" $.Values.component.kubeConfigHosts -}}{{- $_ := set . "kubeConfigLookups" $.Values.component.kubeConfigLookups -}}{{- end -}}{{- end -}}
{{- end -}}
{{- end -}}{{- end -}}
{{- $_ := set $landscape "functions" $functions -}}
{{- with (.Values.runtimes).allowedHosts -}}{{- $_ := set $landscape.provider.remotes.runtimes "allowedHosts" . -}}{{- end -}}
{{- if include "espalier.unwatched" . -}}{{- $_ := set $landscape.provider.remotes.runtimes "watched" false -}}{{- end -}}
{{- toPrettyJson $landscape -}}
{{- end -}}

{{/* The names of the chosen functions, by commas. The host that keeps the certificate is always among them. */}}
{{- define "espalier.functions" -}}
{{- keys (include "espalier.landscape" . | fromJson).functions | sortAlpha | join "," -}}
{{- end -}}

{{/* Whether runtimes are not watched. */}}
{{- define "espalier.unwatched" -}}{{- if eq (toJson (.Values.runtimes).watched) "false" -}}yes{{- end -}}{{- end -}}

{{/* Whether the programs need another serverless.yml than the one that they were built with. */}}
{{- define "espalier.hasOwnLandscape" -}}
{{- $runtimes := ((.Files.Get "files/landscape.json" | fromJson).provider.remotes).runtimes | default dict -}}
{{- $hosts := (.Values.runtimes).allowedHosts | default $runtimes.allowedHosts -}}
{{- if or .Values.functions (.Values.component).kubeConfigHosts (.Values.component).kubeConfigLookups (ne (toJson $hosts) (toJson $runtimes.allowedHosts)) (include "espalier.unwatched" .) (ne .Release.Namespace (.Files.Get "files/namespace")) -}}yes{{- end -}}
{{- end -}}

{{/* Refuses what cannot be. */}}
{{- define "espalier.check" -}}
{{- $known := keys (.Files.Get "files/landscape.json" | fromJson).functions | sortAlpha -}}
{{- range .Values.functions -}}
{{- if not (has . $known) -}}{{- fail (printf "functions: there is no function %q; there are %s" . (join ", " $known)) -}}{{- end -}}
{{- end -}}
{{- $others := list -}}
{{- range $file, $_ := .Files.Glob "files/namespaces/*.yaml" -}}{{- $others = append $others (base $file | trimSuffix ".yaml") -}}{{- end -}}
{{- range .Values.namespaces -}}
{{- if not (has . $others) -}}{{- fail (printf "namespaces: no function has roles in namespace %q; there are roles in %s" . (join ", " $others)) -}}{{- end -}}
{{- end -}}
{{- if and .Values.image.tag .Values.image.digest -}}
{{- fail (printf "image: tag %q and digest %q are both set, and may name two images; set one of them" .Values.image.tag .Values.image.digest) -}}
{{- end -}}
{{- $tenants := and (.Values.tenantPolicy).enabled (has "component" (splitList "," (include "espalier.functions" .))) -}}
{{- if and .Values.aggregatedRoles.enabled (has "component" (splitList "," (include "espalier.functions" .))) (not $tenants) -}}
{{- fail "aggregatedRoles.enabled lets everybody with the role edit write Components, which without tenantPolicy.enabled have all rights in the cluster; enable tenantPolicy or leave aggregatedRoles.enabled false" -}}
{{- end -}}
{{- end -}}
