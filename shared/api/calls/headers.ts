// Headers of requests at /functions.

/** On a call for a key whose last call settled, and of which nothing was heard since: it is made because its time has come. */
export const quietHeader = 'espalier-quiet'
