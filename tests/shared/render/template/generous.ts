// Templates that do much and nothing unusual: what limits must let pass.

/** By what they are. */
export const generous: Readonly<Record<string, string>> = {
  '2000 deployments': `{{- define "labels" }}
app.kubernetes.io/name: {{ .name | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ printf "%s-%s" "release" .name | quote }}
app.kubernetes.io/version: {{ "1.2.3" | quote }}
{{- end }}
{{- range $i := until 2000 }}{{ $o := dict "name" (printf "svc-%d" $i) "root" $ }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $o.name }}
  labels: {{- include "labels" $o | nindent 4 }}
  annotations:
    checksum: {{ toJson $.Values.config | sha256sum }}
    {{- with $.Values.annotations }}{{ toYaml . | nindent 4 }}{{ end }}
spec:
  replicas: {{ default 1 $.Values.replicas }}
  selector: {matchLabels: {{- include "labels" $o | nindent 6 }}}
  template:
    metadata:
      labels: {{- include "labels" $o | nindent 8 }}
    spec:
      containers:
      - name: main
        image: {{ printf "%s:%s" $.Values.image.repository $.Values.image.tag | lower | quote }}
        env: {{- range $k, $v := $.Values.env }}
        - name: {{ $k | upper | replace "-" "_" }}
          value: {{ tpl $v $ | quote }}
        {{- end }}
        resources: {{- toYaml $.Values.resources | nindent 10 }}
        {{- if regexMatch "^[a-z]+-[0-9]+$" $o.name }}
        args: [{{ join "," $.Values.args | squote }}]
        {{- end }}
{{- end }}`,
  'a ConfigMap of 1 MB hashed 100 times': `{{- define "cm" }}data: {{ $.Values.long }}{{ end }}{{ range until 100 }}checksum: {{ include "cm" $ | sha256sum }}{{ end }}`,
  'toYaml of 1 MB': `{{ $l := list }}{{ $m := dict }}{{ range $i := until 20000 }}{{ $_ := set $m (printf "key%d" $i) "some value of some forty characters there" }}{{ end }}{{ toYaml $m | len }}`,
}

export const generousValues = {
  config: { a: 1, b: 'x'.repeat(500), c: { d: [1, 2, 3] } },
  annotations: { 'a/b': 'c', d: 'e' },
  replicas: 2,
  image: { repository: 'registry.example.org/team/app', tag: 'v1.2.3' },
  env: Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`key-${i}`, `value {{ .Values.replicas }} ${i}`])),
  resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '100m', memory: '128Mi' } },
  args: ['--a', '--b=c'],
  long: 'some text '.repeat(100_000),
}
