// Finds when an Event was last seen. The field depends on the API and the age of the program that recorded the Event.
import { isText, mapOrEmpty } from '../json/json.ts'
import type { KubeObject } from './object.ts'

export const lastSeen = ({ series, lastTimestamp, eventTime, metadata }: KubeObject): string =>
  [mapOrEmpty(series).lastObservedTime, lastTimestamp, eventTime, metadata.creationTimestamp].find(isText) ?? ''
