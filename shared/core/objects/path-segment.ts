// Checks names that become part of an API path. Names come from people, and `../secrets/x` would lead to another object.

export const isPathSegment = (text: string): boolean => !['', '.', '..'].includes(text) && !text.includes('/')
