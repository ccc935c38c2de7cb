// Which Espalier this is, for labels on what it makes.

/** That of package.json. */
export const espalierVersion = '0.1.0'
