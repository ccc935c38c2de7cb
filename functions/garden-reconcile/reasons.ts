// The reasons and texts of garden-reconcile. They are API, because programs read them.
import { excerpt, partsText } from '../../shared/core/text/text.ts'

export const reasons = {
  /** Several Gardens exist, and Espalier cannot know which Garden is valid. No Garden is written. */
  moreThanOneGarden: 'MoreThanOneGarden',
  /** The version that last wrote the Garden is newer than ours, or older by more than one minor. */
  versionNotSupported: 'VersionNotSupported',
  /** Event: the annotation requests an operation that is unknown or not possible now. */
  operationIgnored: 'OperationIgnored',
  /** Event: a Garden in deletion keeps a component that other objects in the cluster need. */
  sharedComponentKept: 'SharedComponentKept',
  /** Event: a Secret has the labels of a key of the Garden, but no object of ours names it. */
  unknownSecret: 'UnknownSecret',
  /** Event: the content of a Secret that was handed over becomes a key of the Garden. */
  secretAdopted: 'SecretAdopted',
  /** Condition BackupBucketReady: the Garden's backup names no bucket, so no backups are made. */
  bucketNameMissing: 'BucketNameMissing',
} as const

/** Reasons of condition Reconciled, by the type and state of the last operation. */
export const reconciledReasons = {
  Reconcile: {
    Processing: 'ReconciliationProgressing',
    Succeeded: 'ReconciliationSuccessful',
    Error: 'ReconciliationFailed',
  },
  Delete: { Processing: 'DeletionProgressing', Succeeded: 'DeletionSuccessful', Error: 'DeletionFailed' },
} as const

/** Texts of the last operation's description. */
export const texts = {
  initialized: 'Reconciliation of Garden cluster initialized.',
  succeeded: 'Garden cluster has been successfully reconciled.',
  deleting: 'Deletion of Garden cluster in progress.',
  retried: (error: string): string => `${error} Operation will be retried.`,
  noBucket: (provider: string): string =>
    `No backups of Etcd garden/virtual-garden-etcd-main are made, since spec.virtualCluster.etcd.main.backup.bucketName is not set. Create a bucket with provider ${provider}, and set bucketName to its name.`,
  waiting: (waits: readonly string[]): string => `Waiting for ${enumerated(waits)}`,
} as const

const mostParts = 20
const longestPart = 500

/** Limits the number of parts, because a status has no room for a long list. */
export const enumerated = (parts: readonly string[]): string => partsText(parts.map(partText), mostParts)

/** Shortens a text from another program to the room in a message. */
export const partText = (text: string): string => excerpt(longestPart, text)
