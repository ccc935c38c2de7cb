// A point in time in a zone: Go's time.Time as far as templates see it. Formatting is in functions/dates.ts.

/** Nanoseconds since 1970 in UTC, and the zone that it is shown in. */
export class Instant {
  readonly nanoseconds: bigint
  readonly zone: string

  constructor(nanoseconds: bigint, zone = 'UTC') {
    this.nanoseconds = nanoseconds
    this.zone = zone
  }
}

export const instantOf = (date: Date, zone?: string): Instant => new Instant(BigInt(date.getTime()) * 1_000_000n, zone)
