// What is asked by annotation: by people of a Garden, by garden-reconcile of Etcds and Seeds.

export const operationAnnotation = 'gardener.cloud/operation'

/** With the value 'true' on a Garden, an Etcd or another protected object it may be deleted. */
export const deletionConfirmation = 'confirmation.gardener.cloud/deletion'

type Annotated = { metadata: { annotations?: Readonly<Record<string, string>> } }

/** The operations asked for, each once: spaces and empty ones do not count. */
export const operationsOf = ({ metadata }: Annotated): string[] => {
  const tokens = (metadata.annotations?.[operationAnnotation] ?? '').split(';').map(token => token.trim())
  return [...new Set(tokens)].filter(token => token !== '')
}
