// Headers of requests at /functions.

/** On a call for a key whose last call settled, and for which no event came since: it is made because its time has come. */
export const quietHeader = 'espalier-quiet'
