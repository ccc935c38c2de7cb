// Checks names that become part of an API path. Users choose names, and the name `../secrets/x` would lead to another object.

export const isPathSegment = (text: string): boolean => !['', '.', '..'].includes(text) && !text.includes('/')
