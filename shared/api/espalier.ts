// The version of Espalier, for labels.

/** Equal to the version in package.json. */
export const espalierVersion = '0.1.0'
