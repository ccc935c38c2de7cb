// What can be the name of an object in a path of the API. Names come from people, and `../secrets/x` would lead to another object.

/** No `/`, and none of the names that lead elsewhere. */
export const isPathSegment = (text: string): boolean => !['', '.', '..'].includes(text) && !text.includes('/')
