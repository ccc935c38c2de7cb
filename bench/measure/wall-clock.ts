// The time of day in milliseconds, with fractions: what two processes of this machine note of one event can be compared.
export const wallMilliseconds = (): number => performance.timeOrigin + performance.now()
