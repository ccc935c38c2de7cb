// Headers of requests to /functions.

/** Marks a quiet call: the previous call settled, no event arrived since, and the call is only periodic. */
export const quietHeader = 'espalier-quiet'
