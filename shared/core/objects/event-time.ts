// When an Event was seen last. Kubernetes writes the time into one of several fields, by the age and the API of the program that recorded it.
import { isText, mapOrEmpty } from '../json/json.ts'
import type { KubeObject } from './object.ts'

/** '' for an Event without any time. */
export const lastSeen = ({ series, lastTimestamp, eventTime, metadata }: KubeObject): string =>
  [mapOrEmpty(series).lastObservedTime, lastTimestamp, eventTime, metadata.creationTimestamp].find(isText) ?? ''
