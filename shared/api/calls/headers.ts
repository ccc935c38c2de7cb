// Headers of requests to /functions.

/** Marks a quiet call: the previous call settled, no event arrived since, and the call is only periodic. */
export const quietHeader = 'espalier-quiet'

/** On a call: how many other keys of the function are ready and wait in the relay. The console shows the number. */
export const waitingHeader = 'espalier-waiting'
