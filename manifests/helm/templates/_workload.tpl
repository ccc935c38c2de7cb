{{/* The image, by digest or tag. */}}
{{- define "espalier.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}{{ .repository }}@{{ .digest }}{{- else -}}{{ .repository }}:{{ default $.Chart.AppVersion .tag }}{{- end -}}
{{- end -}}
{{- end -}}

{{/* A generated Deployment with what values say of it. Takes root, object, and values: those of host or relay. */}}
{{- define "espalier.workload" -}}
{{- $root := .root -}}
{{- $values := .values -}}
{{- $deployment := .object -}}
{{- $pod := $deployment.spec.template.spec -}}
{{- $metadata := $deployment.spec.template.metadata -}}
{{- $container := first $pod.containers -}}
{{- $image := $root.Values.image -}}
{{- $_ := set $container "image" (include "espalier.image" $root) -}}
{{- with $image.pullPolicy -}}{{- $_ := set $container "imagePullPolicy" . -}}{{- end -}}
{{- with $image.pullSecrets -}}{{- $_ := set $pod "imagePullSecrets" . -}}{{- end -}}
{{- $_ := set $deployment.spec "replicas" $values.replicas -}}
{{- with $values.resources -}}{{- $_ := set $container "resources" . -}}{{- end -}}
{{- if not $values.topologySpread -}}{{- $_ := unset $pod "topologySpreadConstraints" -}}{{- end -}}
{{- with $values.priorityClassName -}}{{- $_ := set $pod "priorityClassName" . -}}{{- end -}}
{{- with $values.nodeSelector -}}{{- $_ := set $pod "nodeSelector" . -}}{{- end -}}
{{- with $values.tolerations -}}{{- $_ := set $pod "tolerations" . -}}{{- end -}}
{{- with $values.affinity -}}{{- $_ := set $pod "affinity" . -}}{{- end -}}
{{- range $name, $_ := $values.podLabels -}}
{{- if hasKey $metadata.labels $name -}}{{- fail (printf "podLabels: %s is set by the chart itself, because %s finds its Pods by it; choose another label" $name $deployment.metadata.name) -}}{{- end -}}
{{- end -}}
{{- $_ := set $metadata "labels" (merge dict $metadata.labels $values.podLabels $root.Values.commonLabels) -}}
{{- with $values.podAnnotations -}}{{- $_ := set $metadata "annotations" . -}}{{- end -}}
{{- $environment := list -}}
{{- range $container.env -}}
{{- $isList := and (eq .name "ESPALIER_FUNCTIONS") (eq $root.Values.mode "oneHost") (not (empty $root.Values.functions)) -}}
{{- $environment = append $environment (ternary (dict "name" .name "value" (include "espalier.functions" $root)) . $isList) -}}
{{- end -}}
{{- if include "espalier.hasOwnLandscape" $root -}}
{{- $environment = append $environment (dict "name" "ESPALIER_LANDSCAPE" "value" "/etc/espalier/landscape/serverless.yml") -}}
{{- $_ := set $container "volumeMounts" (append $container.volumeMounts (dict "name" "landscape" "mountPath" "/etc/espalier/landscape" "readOnly" true)) -}}
{{- $_ := set $pod "volumes" (append $pod.volumes (dict "name" "landscape" "configMap" (dict "name" "landscape"))) -}}
{{- $_ := set $metadata "annotations" (merge (dict "checksum/landscape" (include "espalier.landscape" $root | sha256sum)) (default dict $metadata.annotations)) -}}
{{- end -}}
{{- range $extra := $values.extraEnv -}}
{{- range $environment -}}
{{- if eq .name $extra.name -}}{{- fail (printf "extraEnv: %s is set by the chart itself, or twice; %s has it already" $extra.name $deployment.metadata.name) -}}{{- end -}}
{{- end -}}
{{- $environment = append $environment $extra -}}
{{- end -}}
{{- $_ := set $container "env" $environment -}}
{{- with $values.extraArgs -}}{{- $_ := set $container "args" (concat $container.args .) -}}{{- end -}}
{{- range $values.extraVolumes -}}
{{- $volume := .name -}}
{{- range $pod.volumes -}}
{{- if eq .name $volume -}}{{- fail (printf "extraVolumes: %s has a volume %q already; choose another name" $deployment.metadata.name $volume) -}}{{- end -}}
{{- end -}}
{{- $_ := set $pod "volumes" (append $pod.volumes .) -}}
{{- end -}}
{{- $volumes := list -}}
{{- range $pod.volumes -}}{{- $volumes = append $volumes .name -}}{{- end -}}
{{- range $values.extraVolumeMounts -}}
{{- if not (has .name $volumes) -}}{{- fail (printf "extraVolumeMounts: %s has no volume %q; add it to extraVolumes" $deployment.metadata.name .name) -}}{{- end -}}
{{- $_ := set $container "volumeMounts" (append $container.volumeMounts .) -}}
{{- end -}}
{{- include "espalier.put" (dict "root" $root "object" $deployment) -}}
{{- end -}}

{{/* The objects of a host or of the relay: Deployments, and the Services and budgets that values leave. Takes root, objects and values. */}}
{{- define "espalier.workloads" -}}
{{- $functions := splitList "," (include "espalier.functions" .root) -}}
{{- range .objects -}}
{{- if eq .kind "Deployment" -}}
{{- include "espalier.workload" (dict "root" $.root "object" . "values" $.values) -}}
{{- else if eq .kind "PodDisruptionBudget" -}}
{{- if $.values.podDisruptionBudget -}}{{- include "espalier.put" (dict "root" $.root "object" .) -}}{{- end -}}
{{- else if or (eq .metadata.name "relay") (has (trimSuffix "-webhooks" .metadata.name) $functions) -}}
{{- include "espalier.put" (dict "root" $.root "object" .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
