#!/usr/bin/env bash
set -euo pipefail

echo "starting {{ .Release.Name }} with ${FORGE__server__DOMAIN:-none}"	# a tab
if [[ "$1" == 'setup' ]]; then
  exec /usr/local/bin/forge migrate   
fi
