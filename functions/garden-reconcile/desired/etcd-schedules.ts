// When an etcd is defragmented and backed up. The minutes are derived from the Garden's uid, so they differ between Gardens.
//
//   maintenanceSchedules(uid, { begin: '220000+0100', end: '230000+0100' })
//   // { defragmentation: '50 21 * * *', everyThirdDay: '50 21 */3 * *', fullSnapshot: '35 20 * * *' }, in UTC
import { crc32 } from 'node:zlib'

type TimeWindow = { readonly begin: string; readonly end: string }

type MaintenanceSchedules = {
  readonly defragmentation: string
  readonly everyThirdDay: string
  readonly fullSnapshot: string
}

const dayMinutes = 24 * 60

/** Snapshots are taken in the hour that ends 15 minutes before the window. Defragmentations run within the window. */
export const maintenanceSchedules = (uid: string, { begin, end }: TimeWindow): MaintenanceSchedules => {
  const drawn = crc32(uid)
  const start = minuteOf(begin)
  const inWindow = cronTime(start + (drawn % windowMinutes(start, minuteOf(end))))
  return {
    defragmentation: `${inWindow} * * *`,
    everyThirdDay: `${inWindow} */3 * *`,
    fullSnapshot: `${cronTime(start - 75 + (drawn % 60))} * * *`,
  }
}

/** A window whose end equals its begin lasts all day. */
const windowMinutes = (begin: number, end: number): number => wrapped(end - begin) || dayMinutes

const cronTime = (minute: number): string => `${wrapped(minute) % 60} ${Math.floor(wrapped(minute) / 60)}`

const wrapped = (minute: number): number => ((minute % dayMinutes) + dayMinutes) % dayMinutes

/** `220000+0100` is minute 1260 of the day in UTC. */
const minuteOf = (time: string): number => {
  const [, hours, minutes, sign, offsetHours] = /^(\d\d)(\d\d)\d\d([+-])(\d\d)00$/.exec(time) ?? []
  const offset = Number(offsetHours ?? 0) * 60
  return Number(hours ?? 0) * 60 + Number(minutes ?? 0) - (sign === '-' ? -offset : offset)
}
