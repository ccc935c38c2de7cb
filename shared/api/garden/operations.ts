// What people ask of a Garden by annotation.

export const operationAnnotation = 'gardener.cloud/operation'

type Annotated = { metadata: { annotations?: Readonly<Record<string, string>> } }

/** The operations asked for, each once: spaces and empty ones do not count. */
export const operationsOf = ({ metadata }: Annotated): string[] => {
  const tokens = (metadata.annotations?.[operationAnnotation] ?? '').split(';').map(token => token.trim())
  return [...new Set(tokens)].filter(token => token !== '')
}
