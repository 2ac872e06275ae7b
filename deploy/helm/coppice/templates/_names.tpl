{{/* Names and labels that several objects share. */}}
{{- define "coppice.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "coppice.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "coppice.labels" -}}
{{ include "coppice.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "coppice.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* What the chart sets goes over what the values say: address, keys and journal belong to it. */}}
{{- define "coppice.config" -}}
{{- if not .Values.keys }}{{ fail "keys: a server that is not on loopback needs one; coppice serve --new-key NAME prints its line" }}{{ end }}
{{- $shared := ne .Values.database.existingSecret "" }}
{{- if and (gt (int .Values.replicas) 1) (not $shared) }}{{ fail "replicas: several nodes need one PostgreSQL; set database.existingSecret" }}{{ end }}
{{- $journal := ternary (dict "kind" "postgres") (dict "kind" "sqlite" "path" "/var/lib/coppice/journal.db") $shared }}
{{- $own := dict "server" (dict "host" "0.0.0.0" "port" 8181) "keys" .Values.keys "journal" $journal }}
{{- mergeOverwrite (deepCopy .Values.config) $own | toPrettyJson }}
{{- end }}

{{- define "coppice.environment" -}}
{{- if .Values.database.existingSecret }}
env:
  - name: DATABASE_URL
    valueFrom:
      secretKeyRef: { name: {{ .Values.database.existingSecret }}, key: DATABASE_URL }
{{- end }}
{{- with .Values.envFromSecrets }}
envFrom:
  {{- range . }}
  - secretRef: { name: {{ . }} }
  {{- end }}
{{- end }}
{{- end }}

{{- define "coppice.confined" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "coppice.user" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}
