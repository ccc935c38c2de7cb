// What garden-reconcile tells in words that programs read: they are API.

export const reasons = {
  /** There are several Gardens, and nobody says which one counts: none is touched. */
  moreThanOneGarden: 'MoreThanOneGarden',
  /** Another version wrote the Garden last, and it is newer than ours, or older by more than one minor. */
  versionNotSupported: 'VersionNotSupported',
  /** Of an Event: the annotation asks for an operation that is unknown or not possible now. */
  operationIgnored: 'OperationIgnored',
  /** Of an Event: the Garden goes, and what others in the cluster need stays with them. */
  sharedComponentKept: 'SharedComponentKept',
} as const

/** Of the condition Reconciled, by the type and state of the last operation. */
export const reconciledReasons = {
  Reconcile: {
    Processing: 'ReconciliationProgressing',
    Succeeded: 'ReconciliationSuccessful',
    Error: 'ReconciliationFailed',
  },
  Delete: { Processing: 'DeletionProgressing', Succeeded: 'DeletionSuccessful', Error: 'DeletionFailed' },
} as const

/** Descriptions of the last operation. */
export const texts = {
  initialized: 'Reconciliation of Garden cluster initialized.',
  succeeded: 'Garden cluster has been successfully reconciled.',
  deleting: 'Deletion of Garden cluster in progress.',
  retried: (error: string): string => `${error} Operation will be retried.`,
  waiting: (waits: readonly string[]): string => `Waiting for ${waits.join('; ')}`,
} as const
