// Headers of requests to /functions.

/** Marks a quiet call: the previous call settled, no event arrived since, and the call is only periodic. */
export const quietHeader = 'espalier-quiet'

/** The number of other keys of the function that are ready and wait in the relay. The console shows this number. */
export const waitingHeader = 'espalier-waiting'
