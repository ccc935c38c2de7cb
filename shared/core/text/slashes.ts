// Addresses and paths without the slashes that people leave at their end.

/** `/api//` as `/api`. Only the first slash of a row begins a match, so that long rows in the midst cost no more than one look. */
export const withoutSlashesAtEnd = (text: string): string => text.replace(/(?<!\/)\/+$/, '')
