// Operations requested by annotation: by users for a Garden, by garden-reconcile for Etcds and Seeds.

export const operationAnnotation = 'gardener.cloud/operation'

/** The value 'true' allows the deletion of a Garden, an Etcd or another protected object. */
export const deletionConfirmation = 'confirmation.gardener.cloud/deletion'

type Annotated = { metadata: { annotations?: Readonly<Record<string, string>> } }

/** The requested operations without duplicates, spaces and empty parts. */
export const operationsOf = ({ metadata }: Annotated): string[] => {
  const tokens = (metadata.annotations?.[operationAnnotation] ?? '').split(';').map(token => token.trim())
  return [...new Set(tokens)].filter(token => token !== '')
}
